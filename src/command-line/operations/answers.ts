import { formatScope } from '../../domain/user/scope.ts'
import type { Operation } from '../../http/protocol/route.ts'
import { CommandFailure, type Terminal } from '../terminal/command.ts'
import type { AnsweredList } from './schemas.ts'

/** Objects in a response. */
const PAGE = 1_000

type Members = Readonly<Record<string, unknown>>

/** A value between tabs. */
const cellOf = (value: unknown): string => {
  if (value === undefined || value === null) return '-'
  if (typeof value === 'string') return /[\t\n]/.test(value) ? JSON.stringify(value) : value
  if (typeof value !== 'object' || Array.isArray(value)) return JSON.stringify(value)
  const isOfTexts = Object.values(value).every((each) => typeof each === 'string')
  return isOfTexts ? formatScope(value as Readonly<Record<string, string>>) : JSON.stringify(value)
}

/** Prints the id of what was created, or else each member of an answer with its value. */
export const printAnswer = (
  answer: Members,
  { isCreation }: Operation,
  isJson: boolean,
  { stdout }: Pick<Terminal, 'stdout'>,
): void => {
  if (isJson) stdout(`${JSON.stringify(answer)}\n`)
  else if (isCreation) stdout(`${cellOf(answer._id ?? answer.series_id)}\n`)
  else for (const [member, value] of Object.entries(answer)) stdout(`${member}\t${cellOf(value)}\n`)
}

/** Prints a list, all of it unless a limit was typed, one object a line. @throws CommandFailure */
export const printList = async (
  ask: (query: URLSearchParams) => Promise<Members>,
  query: URLSearchParams,
  { name, columns, isPaged }: AnsweredList & { readonly isPaged: boolean },
  isJson: boolean,
  { stdout }: Pick<Terminal, 'stdout'>,
): Promise<void> => {
  const isWhole = isPaged && !query.has('limit') && !query.has('offset')
  if (isWhole) query.set('limit', String(PAGE))
  for (;;) {
    const page = (await ask(query))[name]
    if (!Array.isArray(page)) throw new CommandFailure(`the answer of the service has no list "${name}"`)
    for (const each of page as readonly Members[]) {
      const row = () => columns.map((column) => cellOf(each[column])).join('\t')
      stdout(`${isJson ? JSON.stringify(each) : row()}\n`)
    }
    if (!isWhole || page.length < PAGE) return
    query.set('before', String((page.at(-1) as Members)._id))
  }
}
