// Loads the groups that are named on the command line.
for (const name of process.argv.slice(2)) await import(`./${name}.mjs`)
