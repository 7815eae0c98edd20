import { setTimeout as pause } from 'node:timers/promises'
import type { CallToolResult } from '@modelcontextprotocol/server'
import * as E from 'fp-ts/lib/Either.js'
import * as t from 'io-ts'
import { TooManyCalls } from '../../concurrency/calls.ts'
import { openThread, ThreadEnded } from '../../concurrency/thread.ts'
import { makeTurns } from '../../concurrency/turns.ts'
import { bodyOf } from '../codecs/body.ts'
import { readRemedies } from '../documents/guide/remedies.ts'
import type { Call, RouteResult } from '../protocol/call.ts'
import { refusal } from '../protocol/problem.ts'
import { everyone, post, type Route } from '../protocol/route.ts'
import type { AskInside, InnerAnswer, InnerRequest } from './ask-inside.ts'
import { type Arguments, makeTools, memberOf, type Tool } from './tools.ts'

/** The Model Context Protocol over Streamable HTTP, without sessions. */

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
  const members = Object.entries({ ...defaults, ...given }).map(([name, value]) =>
    name === 'mine' && value === true ? (['user_id', call.user._id] as const) : ([memberOf(name), value] as const),
  )
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

/** A message of a client, with what it may do. */
export interface Message {
  /** By which the thread runs tools for it. */
  readonly ticket: number
  /** Fields of the protocol. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: object
  readonly tools: readonly Tool['shown'][]
  readonly version: string
}

export type AgentsThread = { readonly answer: (message: Message) => Promise<{ status: number; body: string }> }
export type MainThread = {
  readonly runTool: (ticket: number, name: string, args: Arguments) => Promise<CallToolResult>
}

/** Messages under way, in all and of one user; more are refused. Each may wait for a minute. */
const [MESSAGES_MAX, OWN_MAX] = [256, 16]

/** Others stay in this thread, such as credentials. */
const isOfProtocol = (field: [string, unknown]): field is [string, string] => /^mcp-/.test(field[0])

/** Answers messages in a thread, which starts with the first: loading the protocol takes 100 ms. */
export const openAgents = (routes: readonly Route[], version: string, ask: AskInside) => {
  const toolsFor = makeTools(routes)
  const runTool = makeRunTool(ask)
  const running = new Map<number, Call>()
  const own = makeTurns({ limit: OWN_MAX })
  let tickets = 0
  const local: MainThread = {
    runTool: async (ticket, name, args) => {
      const call = running.get(ticket) as Call
      const tool = toolsFor(call.user.role).find((each) => each.shown.name === name)
      return runTool(call, tool as NonNullable<typeof tool>, args)
    },
  }
  const module = new URL('./protocol-thread.ts', import.meta.url)
  const more = { start: { name: 'agents' }, callsMax: MESSAGES_MAX, isReplaced: true }
  const thread = openThread<AgentsThread>({ module, local, ...more })
  const refuse = () => E.left(refusal('unavailable', 'Too many agents are being answered. Try again.'))
  const answer = async (call: Call<object>): RouteResult => {
    const { body, request, user } = call
    if (!own.isFree(user._id)) return refuse()
    const headers = Object.fromEntries(Object.entries(request.headers).filter(isOfProtocol))
    const tools = toolsFor(user.role).map(({ shown }) => shown)
    const ticket = ++tickets
    running.set(ticket, call)
    own.acquire(user._id)
    try {
      return E.right(await thread.call('answer', [{ ticket, headers, body, tools, version }]))
    } catch (error) {
      if (!(error instanceof TooManyCalls || error instanceof ThreadEnded)) throw error
      return refuse()
    } finally {
      own.release(user._id)
      running.delete(ticket)
    }
  }
  return { answer, close: thread.terminate }
}

/** One message. Lists of messages are of an old revision, and would have no bound. */
const message = bodyOf(t.UnknownRecord, { schema: () => ({ type: 'object' }) })

export const sendAgentMessage = post('/mcp', {
  id: 'sendAgentMessage',
  summary: 'Send a message of the Model Context Protocol',
  description:
    'Streamable HTTP without sessions, answered as JSON, also errors of the protocol, which are JSON-RPC. The tools are those whose routes the role may call; each call of one is checked and recorded like the request that it is.',
  roles: everyone,
  body: message,
  ignoresRetryKey: true,
  answer: { type: 'object', description: 'A JSON-RPC response.' },
  otherAnswers: { 202: { description: 'A notification was taken.' } },
  handler: ({ agents }: { readonly agents: ReturnType<typeof openAgents> }, call) => agents.answer(call),
})
