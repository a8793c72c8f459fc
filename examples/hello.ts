// TypeScript in a V8 isolate: ./glovebox run examples/hello.ts -- Ada
interface Greeting {
    readonly name: string;
    readonly at: Date;
}

enum Mood {
    Calm = 'calmly',
    Loud = 'LOUDLY',
}

function greet({ name, at }: Greeting, mood: Mood = Mood.Calm): string {
    return `Hello, ${name}, said ${mood} in ${at.getUTCFullYear()}`;
}

const name: string = process.argv[2] ?? 'world';
console.log(greet({ name, at: new Date() }));
console.log(await Promise.resolve({ typed: true, moods: Object.keys(Mood) }));
