/** A request of the largest size that is expensive to read. There are some for every route. */
export interface Awkward {
  readonly what: string
  /** Whether it has no credentials. */
  readonly isAnyones: boolean
  /** The request with a `share` of the largest size, 1 for all of it. */
  readonly bytes: (share: number) => Buffer
}

/** The ids in the paths, and the ticket of a console. */
export interface Things {
  readonly sut: string
  readonly reservation: string
  readonly ticket: string
}

/** Bytes left within the limits beside the rest of a request. */
export const HEADER = 31_000
export const QUERY = 7_900
export const PATH = 7_900

export const filled = (unit: string, length: number): string =>
  unit.repeat(Math.ceil(length / unit.length)).slice(0, length)

export const IN_FIELDS = [
  ...['"', ',', '",', ',""', 'a/b,', '*/*,', '*/*;q=0.1,', 'application/json;a=b,', ';', ';a=b', 'a=b;', '\\', '"\\'],
  ...[
    ' ',
    '\t,',
    'for=1.2.3.4,',
    'for=127.0.0.1,',
    '127.0.0.1,',
    '[::1],',
    '::',
    '%41',
    '%',
    '"1",',
    'W/"1",',
    'a',
    '0',
  ],
]

export const IN_PATHS = ['/', 'a', '%41', '%', '../', '/api/sut', '//', '%2f', '%00', '%F0%9F%98%80']

export type Made = Omit<Awkward, 'isAnyones' | 'bytes'> & {
  readonly bytes: (share: number, isAnyones: boolean) => Buffer
}
