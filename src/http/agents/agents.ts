/** The Model Context Protocol over Streamable HTTP, without sessions. */

import type { CallToolResult } from '@modelcontextprotocol/server'
import * as E from 'fp-ts/lib/Either.js'
import * as t from 'io-ts'
import { TooManyCalls } from '../../concurrency/calls.ts'
import { openThread, ThreadEnded } from '../../concurrency/thread.ts'
import { makeTurns } from '../../concurrency/turns.ts'
import { bodyOf } from '../codecs/body.ts'
import type { Call, RouteResult } from '../protocol/call.ts'
import { refusal } from '../protocol/problem.ts'
import { everyone, post, type Route } from '../protocol/route.ts'
import type { AskInside } from './ask-inside.ts'
import { makeRunTool } from './run-tool.ts'
import { type Arguments, makeTools, type Tool } from './tools.ts'

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
