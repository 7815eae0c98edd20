/** Primary result codes of SQLite (https://www.sqlite.org/rescode.html). */
export const SQLITE = {
  error: 1,
  busy: 5,
  ioError: 10,
  corrupt: 11,
  full: 13,
  cannotOpen: 14,
  tooBig: 18,
  constraint: 19,
  mismatch: 20,
  notADatabase: 26,
} as const

/** Primary result code of a SQLite error; undefined for other errors. */
export const sqliteCode = (error: unknown): number | undefined => {
  const { errcode } = (error ?? {}) as { readonly errcode?: number }
  return errcode === undefined ? undefined : errcode & 0xff
}

/** Path of SQLite's write-ahead log. */
export const walPath = (file: string): string => `${file}-wal`
