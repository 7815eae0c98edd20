import { Quota } from '../../domain/events/user.ts'
import { formatQuota } from '../../domain/user/quota.ts'
import { formatScope } from '../../domain/user/scope.ts'
import type { Operation } from '../../http/protocol/route.ts'
import { type Calls, type ServiceCall, unread } from '../service/call.ts'
import { readPages } from '../service/find.ts'
import { CommandFailure, type Terminal } from '../terminal/command.ts'
import { type AnsweredList, membersOfAnswer } from './schemas.ts'

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

/**
 * Prints the id of what was created and its token or the password that was made for it, a line each, or else each member
 * of an answer with its value.
 *
 * @throws CommandFailure if the answer that had a token was lost: it is shown once
 */
export const printAnswer = (
  answer: Members,
  operation: Operation,
  { isJson, made }: { readonly isJson: boolean; readonly made: string | undefined },
  { stdout }: Pick<Terminal, 'stdout'>,
): void => {
  const id = cellOf(answer._id ?? answer.series_id)
  if (membersOfAnswer(operation).has('token') && answer.token === undefined)
    throw new CommandFailure(`the token ${id} was issued, but the answer that had it was lost; revoke it`)
  if (isJson) stdout(`${JSON.stringify(made === undefined ? answer : { ...answer, password: made })}\n`)
  else if (operation.isCreation || made !== undefined) {
    const lines = [...(operation.isCreation ? [id] : []), answer.token, made].filter((line) => line !== undefined)
    stdout(`${lines.join('\n')}\n`)
  } else for (const [member, value] of Object.entries(answer)) stdout(`${member}\t${cellOf(value)}\n`)
}

/** Prints a list, all of it unless a limit was typed, one object a line. @throws CommandFailure */
export const printList = async (
  calls: Calls,
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
    for await (const page of readPages(calls, path, { name, item: unread, query })) print(page)
    return
  }
  const page = (await calls.call({ method: 'GET', path: `${path}?${query}`, answer: unread }))[name]
  if (!Array.isArray(page)) throw new CommandFailure(`the answer of the service has no list "${name}"`)
  print(page)
}
