import type { JsonSchema } from '../../domain/codec/json-schema.ts'
import { Quota } from '../../domain/events/user.ts'
import { formatQuota } from '../../domain/user/quota.ts'
import { formatScope } from '../../domain/user/scope.ts'
import { answerSchemas } from '../../http/documents/openapi/answers.ts'
import type { Route } from '../../http/protocol/route.ts'
import { CommandFailure, type Terminal } from '../terminal/command.ts'
import { type CallRoute, readPages, type ServiceCall, unread } from '../terminal/service.ts'
import { fieldsOf } from './options.ts'

const resolved = (schema: JsonSchema): JsonSchema => {
  const { $ref, anyOf } = schema as { $ref?: string; anyOf?: readonly JsonSchema[] }
  if (anyOf?.[0] !== undefined) return resolved(anyOf[0])
  return $ref === undefined ? schema : (answerSchemas[$ref.split('/').at(-1) ?? ''] ?? {})
}

export const membersOfAnswer = ({ answer }: Route): ReadonlySet<string> =>
  new Set(Object.keys(resolved(answer).properties ?? {}))

/** A list in an answer: its member, and the members of what it lists. */
export interface AnsweredList {
  readonly name: string
  readonly columns: readonly string[]
  /** Whether what comes after an object of it is asked for by the id of that. */
  readonly isPaged: boolean
}

/** Columns that come after the others. */
const LAST = ['created_at', 'updated_at']

/** The list of an answer that has nothing else. */
export const listOfAnswer = (operation: Route): AnsweredList | undefined => {
  const { properties = {} } = resolved(operation.answer) as { properties?: Readonly<Record<string, JsonSchema>> }
  const envelope = 'limit' in properties ? ['limit', 'count', 'offset', 'next'] : []
  const others = Object.keys(properties).filter((member) => !envelope.includes(member))
  const [name = ''] = others
  const { type, items } = properties[name] ?? {}
  if (operation.method === 'POST' || others.length !== 1 || type !== 'array') return undefined
  const members = Object.keys(resolved(items as JsonSchema).properties ?? {})
  const columns = members.toSorted((one, other) => LAST.indexOf(one) - LAST.indexOf(other))
  const isPaged = members.includes('_id') && fieldsOf(operation).some(({ member }) => member === 'before')
  return { name, columns, isPaged }
}

type Members = Readonly<Record<string, unknown>>

/** A value between tabs. */
const cellOf = (value: unknown): string => {
  if (value === undefined || value === null) return '-'
  if (typeof value === 'string') return /[\t\n]/.test(value) ? JSON.stringify(value) : value
  if (Quota.is(value)) return formatQuota(value)
  if (typeof value !== 'object' || Array.isArray(value)) return JSON.stringify(value)
  const isOfTexts = Object.values(value).every((each) => typeof each === 'string')
  return isOfTexts ? formatScope(value as Readonly<Record<string, string>>) : JSON.stringify(value)
}

export const describeOutput = (
  { method, path, isCreation }: Route,
  list: AnsweredList | undefined,
  makesPassword: boolean,
): string => {
  const json = `With --json it prints what ${method} ${path} answers`
  if (list !== undefined)
    return `Prints one line for each, with these separated by tabs: ${list.columns.join(', ')}. ${json}, one object a line.`
  const others = isCreation ? 'the id' : 'each member of the answer and its value, separated by a tab'
  if (!makesPassword) return `Prints ${others}. ${json}.`
  const made = 'the password where it is a random one'
  return `Prints ${isCreation ? `${others}, and ${made}` : `${made}, or ${others}`}. ${json}.`
}

/** What is shown once, by its member in answers, and what to do where the answer was lost. */
const SHOWN_ONCE: Readonly<Record<string, (id: string) => string>> = {
  token: (id) => `the token ${id} was issued, but the answer that had it was lost; revoke it`,
  secret: (id) => `the webhook ${id} has a new secret, but the answer that had it was lost; replace it`,
}

/**
 * Prints the id of what was created and its token, its secret or the password that was made for it, a line each, or else
 * each member of an answer with its value.
 *
 * @throws CommandFailure if the answer that had a token was lost: it is shown once
 */
export const printAnswer = (
  answer: Members,
  operation: Route,
  { isJson, made }: { readonly isJson: boolean; readonly made: string | undefined },
  { stdout }: Pick<Terminal, 'stdout'>,
): void => {
  const id = cellOf(answer._id ?? answer.series_id)
  for (const [member, lost] of Object.entries(SHOWN_ONCE))
    if (membersOfAnswer(operation).has(member) && answer[member] === undefined) throw new CommandFailure(lost(id))
  if (isJson) stdout(`${JSON.stringify(made === undefined ? answer : { ...answer, password: made })}\n`)
  else if (operation.isCreation || made !== undefined) {
    const lines = [...(operation.isCreation ? [id] : []), answer.token, answer.secret, made].filter(
      (line) => line !== undefined,
    )
    stdout(`${lines.join('\n')}\n`)
  } else for (const [member, value] of Object.entries(answer)) stdout(`${member}\t${cellOf(value)}\n`)
}

/** Prints a list, all of it unless a limit was typed, one object a line. @throws CommandFailure */
export const printList = async (
  call: CallRoute,
  { path, query }: Pick<ServiceCall<unknown>, 'path'> & { readonly query: URLSearchParams },
  { name, columns, isPaged }: AnsweredList,
  isJson: boolean,
  { stdout }: Pick<Terminal, 'stdout'>,
): Promise<void> => {
  const print = (page: readonly Members[]): void => {
    for (const each of page)
      stdout(`${isJson ? JSON.stringify(each) : columns.map((column) => cellOf(each[column])).join('\t')}\n`)
  }
  if (isPaged && !query.has('limit') && !query.has('offset')) {
    for await (const page of readPages(call, path, { name, item: unread, query })) print(page)
    return
  }
  const page = (await call({ path: `${path}?${query}`, answer: unread }))[name]
  if (!Array.isArray(page)) throw new CommandFailure(`the answer of the service has no list "${name}"`)
  print(page)
}
