import { setTimeout as pause } from 'node:timers/promises'
import type { CallToolResult } from '@modelcontextprotocol/server'
import { readRemedies } from '../documents/guide/remedies.ts'
import type { Call } from '../protocol/call.ts'
import type { AskInside, InnerAnswer, InnerRequest } from './ask-inside.ts'
import { type Arguments, memberOf, type Tool } from './tools.ts'

/** Bytes of an answer, about as much as clients take into a conversation, and characters of the facts of a refusal. */
const [ANSWER_MAX, FACTS_MAX] = [48 * 1024, 4_000]
/** Attempts, with a pause between two, while the outcome is unknown or the service says to try again. */
const ATTEMPTS_MAX = 4
const AGAIN = /"code":"(?:outcome_unknown|idempotency_in_progress|unavailable)"/

const toText = (value: unknown): string =>
  typeof value === 'object' ? JSON.stringify(value) : String(value).toWellFormed()

/** A member of a query as parameters: several values, tags by their names, or one. */
const parametersOf = ([name, value]: readonly [string, unknown]): string[][] => {
  if (Array.isArray(value)) return value.map((each) => [name, toText(each)])
  if (!name.endsWith('.')) return [[name, toText(value)]]
  return Object.entries(Object(value)).map(([tag, each]) => [name + tag, toText(each)])
}

const requestOf = (call: Call, { route, idName, defaults }: Tool, args: Arguments): InnerRequest => {
  const { [idName]: id, reason, ...given } = args
  const members = Object.entries({ ...defaults, ...given }).map(([name, value]) => [memberOf(name), value] as const)
  const { method } = route
  const path = route.path.replace(':id', encodeURIComponent(toText(id)))
  if (method === 'GET') return { method, path: `${path}?${new URLSearchParams(members.flatMap(parametersOf))}` }
  const recorded = encodeURIComponent(toText(`agent: ${reason}`))
  const headers = { 'idempotency-key': `agent-${call.requestId}`, 'berth-reason': recorded }
  return { method, path, headers, body: Object.fromEntries(members) }
}

const failed = (text: string): CallToolResult => ({ isError: true, content: [{ type: 'text', text }] })
const TOO_LONG = failed('The answer is too long. Ask for less: a smaller limit, a shorter span, or fewer machines.')

/** Makes the function that sends the request of a tool as who called it, with one retry key however often. */
export const makeRunTool = (ask: AskInside, pauseMs = 1_000) => {
  let remedies: ReadonlyMap<string, string> | undefined

  /** An answer as a result: of a refusal what is wrong, what to do instead, and its facts. */
  const resultOf = ({ status, text, keptUntil }: InnerAnswer): CallToolResult => {
    if (text === undefined) return TOO_LONG
    const answer = JSON.parse(text) as Readonly<Record<string, unknown>>
    if (status < 400) {
      const structuredContent = { ...answer, ...(keptUntil !== undefined && { keepalive_until: keptUntil }) }
      return { structuredContent, content: [{ type: 'text', text: JSON.stringify(structuredContent) }] }
    }
    const { type: _, title, status: _status, detail, ...facts } = answer
    remedies ??= readRemedies()
    const instead = remedies.get(String(facts.code))
    return failed(`${title}. ${detail}\nWhat to do: ${instead}.\n${JSON.stringify(facts).slice(0, FACTS_MAX)}`)
  }

  return async (call: Call, tool: Tool, args: Arguments): Promise<CallToolResult> => {
    const inner = requestOf(call, tool, args)
    for (let attempt = 1; ; attempt++) {
      const answer = await ask(call.request, inner, ANSWER_MAX)
      const isToEnd = answer.status < 400 || !AGAIN.test(answer.text ?? '') || call.request.socket.destroyed
      if (isToEnd || attempt === ATTEMPTS_MAX) return resultOf(answer)
      await pause(pauseMs)
    }
  }
}
