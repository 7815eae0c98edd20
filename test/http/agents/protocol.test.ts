import test from 'ava'
import type { InnerRequest } from '../../../src/http/agents/ask-inside.ts'
import { makeRunTool } from '../../../src/http/agents/run-tool.ts'
import { makeTools } from '../../../src/http/agents/tools.ts'
import type { Call } from '../../../src/http/protocol/call.ts'
import { routes } from '../../../src/http/routes.ts'
import { type Answer, basic } from '../client.ts'
import { type Lab, lab, said } from '../lab.ts'
import { shared } from '../shared.ts'
import { until } from '../until.ts'

/** A client of the protocol by hand, of those revisions that begin with `initialize`. */
const ACCEPT = { Accept: 'application/json, text/event-stream' }

const send = (
  { ask }: Lab,
  method: string,
  params: object = {},
  headers = {},
  id: number | undefined = 1,
): Promise<Answer> =>
  ask('alice', 'POST /mcp', { jsonrpc: '2.0', ...(id && { id }), method, params }, { ...ACCEPT, ...headers })

const berth = shared(lab)

const HELLO = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'by hand', version: '1' } }

test('a client without a library begins, is told of tools and uses one, all as JSON', async (t) => {
  const hello = await send(berth, 'initialize', HELLO)
  t.is(hello.headers['content-type'], 'application/json')
  t.is(hello.headers['mcp-session-id'], undefined)
  t.like(hello.json, {
    jsonrpc: '2.0',
    id: 1,
    result: { protocolVersion: '2025-06-18', serverInfo: { name: 'berth' } },
  })
  const revision = { 'MCP-Protocol-Version': '2025-06-18' }
  const ready = await berth.as('alice').post('/mcp', { jsonrpc: '2.0', method: 'notifications/initialized' }, ACCEPT)
  t.deepEqual([ready.status, ready.text], [202, ''])
  const { tools } = (await send(berth, 'tools/list', {}, revision)).json.result as {
    tools: readonly { name: string }[]
  }
  t.true(tools.some(({ name }) => name === 'find_machines'))
  const used = (await send(berth, 'tools/call', { name: 'find_machines' }, revision)).json.result
  t.like(used, { structuredContent: { count: 1 } })
  t.like((await send(berth, 'ping')).json, { result: {} })
})

test('what is no message of the protocol, or of nobody who may ask, is refused', async (t) => {
  const call = { jsonrpc: '2.0', id: 1, method: 'tools/list' }
  t.is(said(await berth.ask('alice', 'POST /mcp', [call, call], ACCEPT)), '422 invalid #')
  t.is(said(await berth.ask('alice', 'POST /mcp', Buffer.from('{'), ACCEPT)), '400 malformed_json')
  t.is(said(await berth.anyone.post('/mcp', call, ACCEPT)), '401 unauthenticated')
  t.is(said(await berth.ask('alice', 'POST /mcp', call, { ...ACCEPT, Origin: 'http://evil.test' })), '403 cross_site')
  for (const method of ['GET', 'DELETE']) {
    const refused = await berth.ask('alice', `${method} /mcp`, undefined, { Accept: 'text/event-stream' })
    t.deepEqual([refused.status, refused.headers.allow], [405, 'OPTIONS, POST'])
  }
  const wrong = async (body: object, headers = {}) => {
    const all = { ...ACCEPT, Authorization: basic('alice'), 'Content-Type': 'application/json', ...headers }
    const answer = await fetch(`${berth.url}/mcp`, { method: 'POST', headers: all, body: JSON.stringify(body) })
    return [answer.status, ((await answer.json()) as { error: { code: number } }).error.code]
  }
  t.deepEqual(await wrong({ ...call, jsonrpc: '1.0' }), [400, -32_600])
  t.deepEqual(await wrong(call, { 'MCP-Protocol-Version': '1999-01-01' }), [400, -32_000])
  t.deepEqual(await wrong({ ...call, method: 'no/such' }), [200, -32_601])
  t.deepEqual(await wrong({ ...call, method: 'tools/call', params: { name: 'none' } }), [200, -32_602])
  const modern = { 'io.modelcontextprotocol/protocolVersion': '2026-07-28' }
  const meta = {
    _meta: {
      ...modern,
      'io.modelcontextprotocol/clientCapabilities': {},
      'io.modelcontextprotocol/clientInfo': HELLO.clientInfo,
    },
  }
  const listen = { ...call, method: 'subscriptions/listen', params: { ...meta, notifications: {} } }
  t.deepEqual(
    await wrong(listen, { 'MCP-Protocol-Version': '2026-07-28', 'Mcp-Method': 'subscriptions/listen' }),
    [200, -32_603],
  )
})

test('one user has 16 places, and one that its client has left is free again', async (t) => {
  const wanted = { sut_id: berth.sut, duration: 900 }
  await berth.ask('alice', 'POST /api/sut_request/create', wanted)
  const { _id, status } = (await berth.ask('bob', 'POST /api/sut_request/create', wanted)).json
  t.is(status, 'waiting')
  const params = { name: 'wait_for_machine', arguments: { sut_request_id: _id, wait: 60 } }
  const headers = { ...ACCEPT, Authorization: basic('bob'), 'Content-Type': 'application/json' }
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params })
  const client = new AbortController()
  const message = { method: 'POST', headers, body, signal: client.signal }
  const waits = Array.from({ length: 17 }, () => fetch(`${berth.url}/mcp`, message))
  t.is((await Promise.race(waits)).status, 503)
  t.is((await send(berth, 'ping')).status, 200)
  client.abort()
  await Promise.allSettled(waits)
  const ping = { jsonrpc: '2.0', id: 1, method: 'ping' }
  const isFree = async () => (await berth.ask('bob', 'POST /mcp', ping, ACCEPT)).status === 200
  await until('a place is free', isFree, 5_000)
})

test('a change whose outcome is unknown is sent again with its retry key', async (t) => {
  const sent: InnerRequest[] = []
  const problem = {
    title: 'The outcome is unknown',
    detail: 'The event store cannot be read.',
    code: 'outcome_unknown',
  }
  const answers = [...Array(2).fill({ status: 503, text: JSON.stringify(problem) }), { status: 200, text: '{}' }]
  const runTool = makeRunTool(async (_client, request) => {
    sent.push(request)
    return { keptUntil: undefined, ...answers[sent.length - 1] }
  }, 0)
  const call = { request: { socket: { destroyed: false } }, requestId: 'r', user: { _id: 'u' } } as unknown as Call
  const release = makeTools(routes)('tester').find(({ shown }) => shown.name === 'release_machine')
  const done = await runTool(call, release as NonNullable<typeof release>, { sut_reservation_id: 'a', reason: 'done' })
  t.deepEqual(done.structuredContent, {})
  t.deepEqual(
    sent.map(({ headers }) => headers?.['idempotency-key']),
    Array(3).fill('agent-r'),
  )
})
