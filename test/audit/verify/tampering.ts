/** Tampering with the file of a log while no service runs. */

import { readFileSync, writeFileSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { growTree } from '../../../src/audit/merkle-tree.ts'
import { canonicalJson } from '../../../src/domain/values/canonical-json.ts'
import { leafHash } from '../../../src/event-store/stored-event.ts'
import { anEvent } from '../../event-store/new-events.ts'
import { withoutTriggers } from '../../event-store/sqlite/without-triggers.ts'

export type Numbers = (below: number) => number

interface Event {
  stream: string
  revision: number
  readonly [member: string]: unknown
}

/** A stored event with its hash and link. */
export interface Row {
  text: string
  leaf: Uint8Array
  previous: number | null
}

const parse = (text: string): Event => JSON.parse(text) as Event

export const textsIn = (path: string): readonly string[] => rowsOf(path).map(({ text }) => text)

export const rowsOf = (path: string): readonly Row[] => {
  const database = new DatabaseSync(path, { readOnly: true })
  try {
    const rows = database.prepare('SELECT recorded AS text, leaf, previous FROM event ORDER BY position').all()
    return rows.map((row) => ({ ...row }) as unknown as Row)
  } finally {
    database.close()
  }
}

export const rootOf = (texts: readonly string[]): Uint8Array => {
  const tree = growTree()
  for (const text of texts) tree.add(leafHash(text))
  return tree.root()
}

/** Rows as Berth would have written these events, with matching revisions, links and hashes. */
const knowing = (texts: readonly string[]): readonly Row[] => {
  const last = new Map<string, { revision: number; position: number }>()
  return texts.map((text, position) => {
    const event = parse(text)
    const before = last.get(event.stream)
    const revision = (before?.revision ?? -1) + 1
    last.set(event.stream, { revision, position })
    const written = revision === event.revision ? text : canonicalJson({ ...event, revision })
    return { text: written, leaf: new Uint8Array(leafHash(written)), previous: before?.position ?? null }
  })
}

const writeRows = (database: DatabaseSync, rows: readonly Row[]): void => {
  database.exec('BEGIN; DELETE FROM event; DELETE FROM head')
  const insert = database.prepare('INSERT INTO event (position, previous, recorded, leaf) VALUES (?, ?, ?, ?)')
  const heads = new Map<string, { revision: number; position: number }>()
  for (const [position, { text, leaf, previous }] of rows.entries()) {
    insert.run(position, previous, text, leaf)
    const { stream, revision } = parse(text)
    heads.set(stream, { revision, position })
  }
  const head = database.prepare('INSERT INTO head (stream, revision, position) VALUES (?, ?, ?)')
  for (const [stream, { revision, position }] of heads) head.run(stream, revision, position)
  database.prepare("UPDATE meta SET value = ? WHERE name IN ('heads', 'end')").run(String(rows.length - 1))
  database.exec('COMMIT')
}

const write = (path: string, rows: readonly Row[]): void => {
  const database = new DatabaseSync(path)
  try {
    database.exec('PRAGMA synchronous = OFF')
    withoutTriggers(database, () => writeRows(database, rows))
  } finally {
    database.close()
  }
}

/** Another value of the same kind. */
const other = (value: unknown, number: Numbers): unknown => {
  if (typeof value === 'string') {
    const at = number(value.length + 1)
    const put = String.fromCharCode(97 + number(26))
    const changed = value.slice(0, at) + put + value.slice(at + 1)
    return changed === value ? `${value}x` : changed
  }
  if (typeof value === 'number') return value + 1 + number(9)
  if (typeof value === 'boolean') return !value
  return value === null ? 'something' : null
}

/** Changes one nested value. */
const changedIn = (value: unknown, number: Numbers): unknown => {
  if (typeof value !== 'object' || value === null) return other(value, number)
  const names = Object.keys(value)
  if (names.length === 0) return { something: 'else' }
  const name = names[number(names.length)] as string
  const inner = changedIn((value as Record<string, unknown>)[name], number)
  return Array.isArray(value) ? value.with(Number(name), inner) : { ...value, [name]: inner }
}

const changedText = (text: string, number: Numbers): string => {
  const event = parse(text)
  // Not stream and revision: moving events is covered by inserting and swapping.
  const member = (['data', 'data', 'metadata', 'id'] as const)[number(4)] as string
  return canonicalJson({ ...event, [member]: changedIn(event[member], number) })
}

const invented = (texts: readonly string[], number: Numbers): string => {
  const { stream, revision } = parse(texts[number(texts.length)] as string)
  const { id, type, data, metadata } = anEvent(stream, 'put in')
  return canonicalJson({ stream, revision: revision + 1, id, type, data, metadata })
}

type Tamper = (texts: readonly string[], number: Numbers) => readonly string[]

/** Changes to the list of events. */
const AMONG_EVENTS = {
  'value changed': (texts, number) => {
    const at = number(texts.length)
    return texts.with(at, changedText(texts[at] as string, number))
  },
  'event removed': (texts, number) => texts.toSpliced(number(texts.length), 1),
  'event inserted': (texts, number) => texts.toSpliced(number(texts.length), 0, invented(texts, number)),
  'events swapped': (texts, number) => {
    const [a, b] = [number(texts.length - 1), number(texts.length)]
    const at = a === b ? b + 1 : b
    return texts.with(a, texts[at] as string).with(at, texts[a] as string)
  },
  'tail cut': (texts, number) => texts.slice(0, texts.length - 1 - number(texts.length - 1)),
  'old copy restored': (texts, number) => {
    const old = texts.slice(0, number(texts.length - 1))
    const since = Array.from({ length: number(2) * number(2 * texts.length) }, () => invented(texts, number))
    return [...old, ...since]
  },
} as const satisfies Readonly<Record<string, Tamper>>

export const KINDS = [...(Object.keys(AMONG_EVENTS) as (keyof typeof AMONG_EVENTS)[]), 'bytes edited'] as const
export type Kind = (typeof KINDS)[number]

/** Rows with changed events, but the old hashes and links. */
const naive = (rows: readonly Row[], texts: readonly string[]): readonly Row[] => {
  const before = new Map(rows.map((row) => [row.text, row]))
  return texts.map((text, n) => {
    const row = before.get(text) ?? rows[n] ?? { leaf: new Uint8Array(leafHash(text)), previous: null }
    return { text, leaf: row.leaf, previous: row.previous }
  })
}

/** Edits a byte of an event in the file itself, and with `isKnowing` also its hash. */
const editBytes = (path: string, texts: readonly string[], number: Numbers, isKnowing: boolean): number => {
  const file = readFileSync(path)
  const position = number(texts.length)
  const text = Buffer.from(texts[position] as string)
  const at = file.indexOf(text)
  const edited = Buffer.from(text)
  const place = number(text.length)
  const byte = 32 + number(95)
  edited[place] = byte === text[place] ? byte ^ 1 : byte
  edited.copy(file, at)
  // The hash follows the text in the row.
  if (isKnowing) leafHash(edited.toString()).copy(file, at + text.length)
  writeFileSync(path, file)
  return position
}

/** Tampers with a copy of a log with these rows; returns the first position that differs. */
export const tamper = (path: string, rows: readonly Row[], kind: Kind, number: Numbers, isKnowing: boolean): number => {
  const texts = rows.map(({ text }) => text)
  if (kind === 'bytes edited') return editBytes(path, texts, number, isKnowing)
  const tampered = AMONG_EVENTS[kind](texts, number)
  const written = isKnowing ? knowing(tampered) : naive(rows, tampered)
  write(path, written)
  const first = written.findIndex(({ text }, n) => text !== texts[n])
  return first === -1 ? written.length : first
}

/** Rewrites a log completely without changing it. */
export const writeBack = (path: string): void => write(path, knowing(textsIn(path)))
