// Cells are scripts, in which `import` has no meaning: this turns the imports of a cell into calls of a function.
//
//     import a, { b as c } from 'x'    const { default: a, b: c } = await IMPORT('x');
//     import * as n from 'x'           const n = await IMPORT('x');
//     import('x')                      IMPORT('x')
//
// It reads the source as far as it must to know what is code and what is text or comment. Lines keep their numbers.
'use strict';

// What a cell does to these must not reach the kernel.
const push = Function.prototype.call.bind(Array.prototype.push);
const { stringify } = JSON;

const STATIC =
    /import\s*(?:([\w$]+)\s*,?\s*)?(?:\*\s*as\s+([\w$]+)\s*|\{([^}]*)\}\s*)?from\s*(['"])([^'"\n]+)\4(?:\s*with\s*\{[^}]*\})?[ \t]*;?/y;
const BARE = /import\s*(['"])([^'"\n]+)\1[ \t]*;?/y;
const WORD = /[\p{ID_Start}$_][\p{ID_Continue}$\u200c\u200d]*/uy;
const BLANK = /(?:\s|\/\/[^\n]*|\/\*[^]*?\*\/)*/y;
/** After these words a slash begins a regular expression. */
const BEFORE_REGEX = new Set(['return', 'typeof', 'case', 'in', 'of', 'void', 'delete', 'throw', 'new', 'await', 'yield', 'else', 'do']);

function match(pattern, source, at) {
    pattern.lastIndex = at;
    return pattern.exec(source);
}

/** The source with its imports replaced; the same string if there are none. */
function rewrite(source, importName, metaName) {
    if (!source.includes('import')) {
        return source;
    }
    const out = [];
    let copied = 0;
    let at = 0;
    let depth = 0;
    let last = ''; // the last significant character or word
    const templates = []; // for each open ${ the depth at which it closes

    const replace = (from, to, text) => {
        const lost = source.slice(from, to).split('\n').length - text.split('\n').length;
        push(out, source.slice(copied, from), text, '\n'.repeat(Math.max(0, lost)));
        copied = to;
        at = to;
    };

    while (at < source.length) {
        at = BLANK.lastIndex = match(BLANK, source, at)[0].length + at;
        if (at >= source.length) {
            break;
        }
        const c = source[at];
        const word = match(WORD, source, at);
        if (word) {
            at = WORD.lastIndex;
            if (word[0] === 'import' && last !== '.') {
                const from = word.index;
                const next = source[from + 6 + match(BLANK, source, at)[0].length];
                if (next === '(') {
                    replace(from, at, importName);
                } else if (next === '.') {
                    const meta = match(/\s*\.\s*meta\b/y, source, at);
                    if (meta) {
                        replace(from, at + meta[0].length, metaName);
                    }
                } else if (depth === 0) {
                    const bare = match(BARE, source, from);
                    const full = bare ? null : match(STATIC, source, from);
                    if (bare) {
                        replace(from, from + bare[0].length, `await ${importName}(${stringify(bare[2])});`);
                    } else if (full) {
                        replace(from, from + full[0].length, statement(full, importName));
                    }
                    last = ';';
                    continue;
                }
            }
            last = word[0];
        } else if (c === '"' || c === "'") {
            at = endOfText(source, at);
            last = 'text';
        } else if (c === '`' || (c === '}' && templates.at(-1) === depth)) {
            if (c === '}') {
                templates.pop();
            }
            at = endOfTemplate(source, at + 1);
            if (source[at - 1] === '{') {
                push(templates, depth);
                last = '{';
            } else {
                last = 'text';
            }
        } else if (c === '/' && (BEFORE_REGEX.has(last) || !/[\w$)\]}]$/.test(last))) {
            at = endOfRegex(source, at);
            last = 'text';
        } else {
            depth += '([{'.includes(c) ? 1 : ')]}'.includes(c) ? -1 : 0;
            last = c;
            at++;
        }
    }
    push(out, source.slice(copied));
    return out.join('');
}

function statement([, defaultName, namespace, names, , from], importName) {
    const load = `await ${importName}(${stringify(from)})`;
    const picked = (names ?? '')
        .split(',')
        .map((name) => name.trim().replace(/^(.+?)\s+as\s+/, '$1: '))
        .filter(Boolean);
    if (defaultName) {
        picked.unshift(`default: ${defaultName}`);
    }
    if (!namespace) {
        return `const { ${picked.join(', ')} } = ${load};`;
    }
    return defaultName ? `const ${namespace} = ${load}, { ${picked.join(', ')} } = ${namespace};` : `const ${namespace} = ${load};`;
}

function endOfText(source, start) {
    let at = start + 1;
    while (at < source.length && source[at] !== source[start] && source[at] !== '\n') {
        at += source[at] === '\\' ? 2 : 1;
    }
    return at + 1;
}

/** The place after the closing backtick, or after the ${ that interrupts the template. */
function endOfTemplate(source, start) {
    let at = start;
    while (at < source.length) {
        if (source[at] === '`') {
            return at + 1;
        }
        if (source[at] === '$' && source[at + 1] === '{') {
            return at + 2;
        }
        at += source[at] === '\\' ? 2 : 1;
    }
    return at;
}

function endOfRegex(source, start) {
    let inClass = false;
    let at = start + 1;
    while (at < source.length && source[at] !== '\n' && (inClass || source[at] !== '/')) {
        inClass = source[at] === '[' || (inClass && source[at] !== ']');
        at += source[at] === '\\' ? 2 : 1;
    }
    return at + 1;
}

module.exports = { rewrite };
