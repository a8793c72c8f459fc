// The console, over two streams of the host.
function makeConsole() {
    let indentation = '';
    const counts = new $Map();
    const timers = new $Map();
    const print = (descriptor, text) => {
        const shown = indentation === '' ? text : indentation + replaceAll(text, '\n', `\n${indentation}`);
        write(descriptor, `${shown}\n`);
    };
    const elapsed = (label) => {
        const name = `${label}`;
        if (!mapHas(timers, name)) {
            print(2, `Warning: No such label '${name}' for console.timeEnd()`);
            return undefined;
        }
        const ms = host(OP.NOW) - mapGet(timers, name);
        return `${name}: ${ms >= 1000 ? `${(ms / 1000).toFixed(3)}s` : `${+ms.toFixed(3)}ms`}`;
    };
    const methods = {
        log: (...values) => print(1, format(...values)),
        error: (...values) => print(2, format(...values)),
        assert: (condition, ...values) => {
            if (!condition) {
                if (typeof values[0] === 'string') {
                    values[0] = `Assertion failed: ${values[0]}`;
                } else {
                    values.unshift('Assertion failed');
                }
                methods.error(...values);
            }
        },
        dir: (value, options) => print(1, inspect(value, { ...options, customInspect: false })),
        count: (label = 'default') => {
            const count = (mapGet(counts, `${label}`) ?? 0) + 1;
            mapSet(counts, `${label}`, count);
            print(1, `${label}: ${count}`);
        },
        countReset: (label = 'default') => void mapDelete(counts, `${label}`),
        group: (...values) => {
            if (values.length > 0) {
                methods.log(...values);
            }
            indentation = stringSlice(`${indentation}  `, 0, 200);
        },
        groupEnd: () => void (indentation = stringSlice(indentation, 2)),
        time: (label = 'default') => void mapSet(timers, `${label}`, host(OP.NOW)),
        timeLog: (label = 'default', ...values) => {
            const text = elapsed(label);
            if (text !== undefined) {
                methods.log(text, ...values);
            }
        },
        timeEnd: (label = 'default') => {
            const text = elapsed(label);
            if (text !== undefined) {
                print(1, text);
                mapDelete(timers, `${label}`);
            }
        },
        trace: (...values) => {
            const error = { name: 'Trace', message: format(...values) };
            $Error.captureStackTrace(error, methods.trace);
            print(2, withoutOurFrames(`${error.stack}`));
        },
        table: (data, columns) => print(1, isObject(data) ? table(data, columns) : format(data)),
        clear: () => {},
    };
    methods.info = methods.debug = methods.log;
    methods.warn = methods.error;
    methods.dirxml = methods.log;
    methods.groupCollapsed = methods.group;
    const console = {};
    for (const name of objectKeys(methods)) {
        console[name] = hide(methods[name], 'name', name) && methods[name];
    }
    return console;
}

/** console.table's box. */
function table(data, only) {
    const rows = [];
    const columns = [];
    let hasValues = false;
    const cellText = (value) => inspect(value, { depth: isObject(value) ? 0 : 2, maxArrayLength: 3, breakLength: Infinity });
    const addRow = (index, value) => {
        const cells = new $Map();
        if (isObject(value) && typeof value !== 'function') {
            const names = objectKeys(value);
            for (let i = 0; i < min(names.length, 100); i++) {
                mapSet(cells, names[i], cellText(value[names[i]]));
                if (!columns.includes(names[i])) {
                    arrayPush(columns, names[i]);
                }
            }
            arrayPush(rows, { index, cells });
        } else {
            hasValues = true;
            arrayPush(rows, { index, cells, value: cellText(value) });
        }
    };
    if (isKind(mapSize, data)) {
        let i = 0;
        mapForEach(data, (value, key) => addRow(`${i++}`, { Key: key, Values: value }));
    } else if (isKind(setSize, data)) {
        let i = 0;
        setForEach(data, (value) => addRow(`${i++}`, value));
    } else {
        const names = objectKeys(data);
        for (let i = 0; i < min(names.length, 1000); i++) {
            addRow(names[i], data[names[i]]);
        }
    }
    const shown = isArray(only) ? only : columns;
    const head = ['(index)', ...shown, ...(hasValues ? ['Values'] : [])];
    const lines = rows.map((row) => [row.index, ...shown.map((name) => mapGet(row.cells, name) ?? ''), ...(hasValues ? [row.value ?? ''] : [])]);
    const widths = head.map((title, i) => max(title.length, ...lines.map((line) => line[i].length)) + 2);
    const rule = (left, middle, right) => left + arrayJoin(widths.map((width) => stringRepeat('─', width)), middle) + right;
    const row = (cells) => `│${arrayJoin(cells.map((cell, i) => ` ${stringPadEnd(cell, widths[i] - 1)}`), '│')}│`;
    return arrayJoin([rule('┌', '┬', '┐'), row(head), rule('├', '┼', '┤'), ...lines.map(row), rule('└', '┴', '┘')], '\n');
}
