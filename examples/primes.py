"""The first primes, by the sieve of Eratosthenes: ./glovebox run examples/primes.py -- 100"""

import sys


def primes(limit: int) -> list[int]:
    sieve = bytearray([1]) * (limit + 1)
    sieve[0:2] = b"\0\0"
    for n in range(2, int(limit**0.5) + 1):
        if sieve[n]:
            sieve[n * n :: n] = bytes(len(range(n * n, limit + 1, n)))
    return [n for n in range(limit + 1) if sieve[n]]


limit = int(sys.argv[1]) if len(sys.argv) > 1 else 100
found = primes(limit)
print(*found)
print(f"{len(found)} primes up to {limit}")
