// node:assert and the comparison that it and util share.
class AssertionError extends $Error {
    constructor({ message, actual, expected, operator }) {
        super(message ?? `${inspect(actual)} ${operator} ${inspect(expected)}`);
        this.generatedMessage = message === undefined;
        this.code = 'ERR_ASSERTION';
        this.actual = actual;
        this.expected = expected;
        this.operator = operator;
    }

    get name() {
        return 'AssertionError';
    }
}

function isDeepEqual(a, b, strict, seen = new $Map()) {
    if (is(a, b) || (!strict && (a == b || (a !== a && b !== b)))) {
        return true;
    }
    if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) {
        return false;
    }
    if (objectToString(a) !== objectToString(b) || (strict && getPrototypeOf(a) !== getPrototypeOf(b)) || isArray(a) !== isArray(b)) {
        return false;
    }
    if (mapGet(seen, a) === b) {
        return true;
    }
    mapSet(seen, a, b);
    return isEqualContent(a, b, strict, seen);
}

function isEqualContent(a, b, strict, seen) {
    if (isKind(dateGetTime, a)) {
        return dateGetTime(a) === dateGetTime(b);
    }
    if (a instanceof $RegExp) {
        return `${a}` === `${b}`;
    }
    if (isNativeError(a) && (a.message !== b.message || a.name !== b.name)) {
        return false;
    }
    const primitive = boxed(a);
    if (primitive !== undefined && !is(primitive, boxed(b))) {
        return false;
    }
    if (isKind(bufferByteLength, a)) {
        return isDeepEqual(new $Uint8Array(a), new $Uint8Array(b), strict, seen);
    }
    if (isKind(mapSize, a) && !isEqualMap(a, b, strict, seen) || isKind(setSize, a) && !isEqualSet(a, b, strict, seen)) {
        return false;
    }
    const left = objectKeys(a);
    const right = objectKeys(b);
    if (left.length !== right.length || (isArray(a) && a.length !== b.length)) {
        return false;
    }
    for (let i = 0; i < left.length; i++) {
        if (!hasOwn(b, left[i]) || !isDeepEqual(a[left[i]], b[left[i]], strict, seen)) {
            return false;
        }
    }
    return true;
}

function isEqualMap(a, b, strict, seen) {
    let equal = mapSize(a) === mapSize(b);
    mapForEach(a, (value, key) => {
        equal &&= mapHas(b, key) ? isDeepEqual(value, mapGet(b, key), strict, seen)
            : [...b].some(([k, v]) => isDeepEqual(key, k, strict, seen) && isDeepEqual(value, v, strict, seen));
    });
    return equal;
}

function isEqualSet(a, b, strict, seen) {
    let equal = setSize(a) === setSize(b);
    setForEach(a, (value) => {
        equal &&= setHas(b, value) || [...b].some((other) => isDeepEqual(value, other, strict, seen));
    });
    return equal;
}

function failAssertion(actual, expected, message, operator) {
    if (message instanceof $Error) {
        throw message;
    }
    throw new AssertionError({ actual, expected, operator, message });
}

function compareDeep(strict, expectEqual, operator) {
    return (actual, expected, message) => {
        if (isDeepEqual(actual, expected, strict) !== expectEqual) {
            const words = `Expected values ${expectEqual ? 'to be' : 'not to be'} ${strict ? 'strictly' : 'loosely'} deep-equal:\n\n${inspect(actual)}\n\nshould ${expectEqual ? '' : 'not '}equal\n\n${inspect(expected)}`;
            failAssertion(actual, expected, message ?? words, operator);
        }
    };
}

function matchesError(error, expected) {
    if (expected === undefined || typeof expected === 'string') {
        return true;
    }
    if (expected instanceof $RegExp) {
        return expected.test(`${error}`);
    }
    if (typeof expected === 'function') {
        return (expected.prototype !== undefined && error instanceof expected) || (!$Error.isPrototypeOf(expected) && expected.call({}, error) === true);
    }
    return objectKeys(expected).every((key) => expected[key] instanceof $RegExp && typeof error[key] === 'string'
        ? expected[key].test(error[key]) : isDeepEqual(error[key], expected[key], true));
}

function makeAssert() {
    const truthy = (value, message) => {
        if (!value) {
            failAssertion(value, true, message ?? (value === undefined ? 'No value argument passed to `assert.ok()`' : `The expression evaluated to a falsy value: ${inspect(value)}`), '==');
        }
    };
    const compare = (operator, test, words) => (actual, expected, message) => {
        if (!test(actual, expected)) {
            failAssertion(actual, expected, message ?? `${words}\n\n${inspect(actual)} ${operator} ${inspect(expected)}\n`, operator);
        }
    };
    const assert = (value, message) => truthy(value, message);
    const methods = {
        ok: truthy,
        equal: compare('==', (a, b) => a == b || (a !== a && b !== b), 'Expected values to be loosely equal:'),
        notEqual: compare('!=', (a, b) => a != b, 'Expected "actual" to be loosely unequal to:'),
        strictEqual: compare('!==', is, 'Expected values to be strictly equal:'),
        notStrictEqual: compare('===', (a, b) => !is(a, b), 'Expected "actual" to be strictly unequal to:'),
        deepEqual: compareDeep(false, true, 'deepEqual'),
        notDeepEqual: compareDeep(false, false, 'notDeepEqual'),
        deepStrictEqual: compareDeep(true, true, 'deepStrictEqual'),
        notDeepStrictEqual: compareDeep(true, false, 'notDeepStrictEqual'),
        match: (text, pattern, message) => pattern.test(text) || failAssertion(text, pattern, message ?? `The input did not match the regular expression ${pattern}. Input:\n\n${inspect(text)}\n`, 'match'),
        doesNotMatch: (text, pattern, message) => !pattern.test(text) || failAssertion(text, pattern, message ?? `The input was expected to not match the regular expression ${pattern}. Input:\n\n${inspect(text)}\n`, 'doesNotMatch'),
        fail: (message = 'Failed') => failAssertion(undefined, undefined, message, 'fail'),
        ifError: (value) => {
            if (value !== null && value !== undefined) {
                throw value;
            }
        },
        throws: (work, expected, message) => {
            try {
                work();
            } catch (error) {
                if (matchesError(error, expected)) {
                    return;
                }
                throw error;
            }
            failAssertion(undefined, expected, message ?? 'Missing expected exception.', 'throws');
        },
        doesNotThrow: (work) => void work(),
        rejects: async (work, expected, message) => {
            try {
                await (typeof work === 'function' ? work() : work);
            } catch (error) {
                if (matchesError(error, expected)) {
                    return;
                }
                throw error;
            }
            failAssertion(undefined, expected, message ?? 'Missing expected rejection.', 'rejects');
        },
        doesNotReject: async (work) => void await (typeof work === 'function' ? work() : work),
        AssertionError,
    };
    for (const name of objectKeys(methods)) {
        assert[name] = methods[name];
    }
    assert.strict = (value, message) => truthy(value, message);
    for (const name of objectKeys(methods)) {
        assert.strict[name] = methods[{ equal: 'strictEqual', notEqual: 'notStrictEqual', deepEqual: 'deepStrictEqual', notDeepEqual: 'notDeepStrictEqual' }[name] ?? name];
    }
    assert.strict.strict = assert.strict;
    return assert;
}
