import * as E from 'fp-ts/lib/Either.js'
import type * as t from 'io-ts'
import { opaqueId } from '../../domain/codec/codec.ts'
import { Role } from '../../domain/events/user.ts'
import { NewUserName } from '../../domain/user/new-user-name.ts'
import { parseQuota, type QuotaChange } from '../../domain/user/quota.ts'
import { scopeCodec } from '../../domain/user/scope.ts'
import { foldName } from '../../domain/values/user-name.ts'
import { HASHED_ROWS_MAX, PasswordHashText } from '../../http/codecs/imports.ts'
import { type CsvProblem, type CsvRow, readCsv } from './csv.ts'

/** A user of a CSV file. */
export interface ImportedUser {
  readonly line: number
  readonly name: string
  readonly role: Role
  /** Null is the service's default. */
  readonly quota: QuotaChange | null
  /** Canonical; empty for every SUT. */
  readonly scope: string
  /** One that the user has elsewhere. */
  readonly id?: string
  /** Of a password that the user has elsewhere. */
  readonly hash?: string
}

export interface ImportProblems {
  /** The first ones, in order. */
  readonly listed: readonly CsvProblem[]
  /** How many there are. */
  readonly total: number
}

const LISTED_MAX = 100

const REQUIRED = ['name', 'role'] as const
const COLUMNS = [...REQUIRED, 'quota', 'scope', 'id', 'hash'] as const
type Column = (typeof COLUMNS)[number]
const isColumn = (name: string): name is Column => COLUMNS.includes(name as Column)

type Parsed<A> = E.Either<readonly CsvProblem[], A>

const one = (problem: CsvProblem): Parsed<never> => E.left([problem])

/** The columns in the order of a header row. */
const readHeader = (header: CsvRow | undefined): Parsed<readonly Column[]> => {
  if (header === undefined)
    return one({ detail: `must begin with a row that names its columns: ${COLUMNS.join(', ')}` })
  const { line, fields } = header
  const columns = fields.filter(isColumn)
  const missing = REQUIRED.filter((name) => !columns.includes(name))
  const problems: readonly CsvProblem[] = [
    ...(columns.length < fields.length ? [{ line, detail: `must name only the columns ${COLUMNS.join(', ')}` }] : []),
    ...(new Set(columns).size < columns.length ? [{ line, detail: 'must name each column once' }] : []),
    ...missing.map((name) => ({ line, detail: `must name the column ${name}` })),
  ]
  return problems.length === 0 ? E.right(columns) : E.left(problems)
}

const decode =
  <A>(codec: t.Decoder<unknown, A>) =>
  (text: string): E.Either<string, A> =>
    E.mapLeft(([error]: t.Errors) => error?.message ?? 'is invalid')(codec.decode(text))

/** Reads the fields of one row. Empty quotas are the default. */
const readUser = (columns: readonly Column[], { line, fields }: CsvRow): Parsed<ImportedUser> => {
  if (fields.length !== columns.length) {
    return one({ line, detail: `has ${fields.length} fields; the header names ${columns.length}` })
  }
  const problems: CsvProblem[] = []
  const textOf = (column: Column): string => fields[columns.indexOf(column)] ?? ''
  const read = <A>(column: Column, as: (text: string) => E.Either<string, A>): A | undefined => {
    const field = as(textOf(column))
    if (E.isRight(field)) return field.right
    problems.push({ line, column, detail: field.left })
    return undefined
  }
  const ifFilled = <A>(column: Column, as: (text: string) => E.Either<string, A>): A | undefined =>
    textOf(column) === '' ? undefined : read(column, as)
  const [name, role] = [read('name', decode(NewUserName)), read('role', decode(Role))]
  const quota = ifFilled('quota', parseQuota) ?? null
  const scope = read('scope', decode(scopeCodec)) ?? ''
  const [id, hash] = [ifFilled('id', decode(opaqueId)), ifFilled('hash', decode(PasswordHashText))]
  if (role !== undefined && role !== 'tester') {
    const detail = 'is for testers only'
    if (quota !== null) problems.push({ line, column: 'quota', detail })
    if (scope !== '') problems.push({ line, column: 'scope', detail })
  }
  if (problems.length > 0 || name === undefined || role === undefined) return E.left(problems)
  const elsewhere = { ...(id !== undefined && { id }), ...(hash !== undefined && { hash }) }
  return E.right({ line, name, role, quota, scope, ...elsewhere })
}

/** Remembers the lines of names. Returns the problem of a name that an earlier line has. */
const makeNames = (nameAt: number): ((row: CsvRow) => readonly CsvProblem[]) => {
  const lines = new Map<string, number>()
  return ({ line, fields }) => {
    const name = fields[nameAt]
    if (!NewUserName.is(name)) return []
    const folded = foldName(name)
    const before = lines.get(folded)
    if (before === undefined) lines.set(folded, line)
    return before === undefined
      ? []
      : [{ line, column: 'name', detail: `is the same as in line ${before}; upper and lower case count as the same` }]
  }
}

const readUsers = ([header, ...rows]: readonly CsvRow[]): Parsed<readonly ImportedUser[]> => {
  const columns = readHeader(header)
  if (E.isLeft(columns)) return columns
  const beyond = rows[HASHED_ROWS_MAX]
  if (beyond !== undefined) {
    return one({
      line: beyond.line,
      detail: `is beyond the ${HASHED_ROWS_MAX} users that a file may have: split the file`,
    })
  }
  const duplicates = makeNames(columns.right.indexOf('name'))
  const users: ImportedUser[] = []
  const problems: CsvProblem[] = []
  for (const row of rows) {
    const user = readUser(columns.right, row)
    if (E.isRight(user)) users.push(user.right)
    else problems.push(...user.left)
    problems.push(...duplicates(row))
  }
  return problems.length === 0 ? E.right(users) : E.left(problems)
}

/**
 * Reads users from a CSV file (RFC 4180, UTF-8) whose first row names its columns: name, role, and optionally quota,
 * scope, id and hash. It reports all problems at once, except that what is not UTF-8, not CSV or has no header is not read further.
 */
export const readUsersCsv = (bytes: Uint8Array): E.Either<ImportProblems, readonly ImportedUser[]> => {
  // The header, and one row more than allowed.
  const rows = readCsv(bytes, HASHED_ROWS_MAX + 2)
  const users = E.isLeft(rows) ? rows : readUsers(rows.right)
  return E.mapLeft((problems: readonly CsvProblem[]) => ({
    listed: problems.slice(0, LISTED_MAX),
    total: problems.length,
  }))(users)
}
