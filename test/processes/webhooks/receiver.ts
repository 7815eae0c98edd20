/** A receiver of webhooks, and labs that send to it. */

import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http'
import { Webhook } from 'standardwebhooks'
import type { Setting, Tidying } from '../../http/harness.ts'
import { lab } from '../../http/lab.ts'
import { until } from '../../http/until.ts'

export interface Received {
  readonly method: string
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly body: string
  readonly event: Readonly<Record<string, unknown>> & {
    readonly id: string
    readonly type: string
    readonly subject?: string
  }
}

type Answer = (response: ServerResponse, received: Received, request: IncomingMessage) => void

export const answering =
  (status: number, headers: Readonly<Record<string, string>> = {}): Answer =>
  (response) => {
    response.writeHead(status, headers).end()
  }

/** Records what arrives, and answers as it is told. */
export const receive = async (t: Tidying, first: Answer = answering(204), host = '127.0.0.1') => {
  const received: Received[] = []
  let answer = first
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const body = Buffer.concat(chunks).toString()
    const { method = '', url: path = '', headers } = request
    const one = { method, path, headers, body, event: JSON.parse(body) }
    received.push(one)
    answer(response, one, request)
  })
  await new Promise<void>((resolve) => server.listen(0, host, resolve))
  t.teardown(() => {
    server.closeAllConnections()
    server.close()
  })
  const { port } = server.address() as { port: number }
  return {
    port,
    url: `http://${host.includes(':') ? `[${host}]` : host}:${port}/hook?token=in-the-vault`,
    received,
    types: (): readonly string[] => received.map(({ event }) => event.type.replace('berth.', '')),
    answerWith: (next: Answer): void => {
      answer = next
    },
    /** Waits until so much has arrived. */
    takes: (count: number, within = 10_000): Promise<void> =>
      until(`${count} deliveries`, async () => received.length >= count, within),
  }
}
export type Receiver = Awaited<ReturnType<typeof receive>>

/** Verifies a signature as receivers do, by the library of Standard Webhooks. @throws unless it is right */
export const verified = (secret: string, { body, headers }: Received): unknown =>
  new Webhook(secret).verify(body, headers as Record<string, string>)

export interface Hook {
  readonly _id: string
  readonly secret: string
}

export interface Shown {
  readonly _id: string
  readonly enabled: boolean
  readonly position: string | null
  readonly lag: number
  readonly last_failure: { readonly cause: string; readonly status: number | null } | null
}

/** A lab whose clock is the machine's, for the signatures, and whose monotonic clock the test sets. */
export const hookLab = async (t: Tidying, setting: Setting = {}) => {
  let boot = 1_000_000
  const service = await lab(t, { now: new Date().toISOString(), sinceBoot: () => boot, ...setting })
  const { ask, tick } = service
  const of = ({ _id }: Pick<Hook, '_id'>) => `/api/webhook/${_id}`
  return {
    ...service,
    create: async (url: string, more: object = {}): Promise<Hook> =>
      (await ask('admin', 'POST /api/webhook/create', { url, ...more })).json as unknown as Hook,
    shown: async (hook: Pick<Hook, '_id'>): Promise<Shown> =>
      (await ask('admin', `GET ${of(hook)}`)).json as unknown as Shown,
    on: (hook: Pick<Hook, '_id'>, verb: string, body: unknown = {}) => ask('admin', `POST ${of(hook)}/${verb}`, body),
    deliveriesOf: async (hook: Pick<Hook, '_id'>) =>
      (await ask('admin', `GET ${of(hook)}/deliveries`)).json.deliveries as readonly Readonly<
        Record<string, unknown>
      >[],
    /** Lets so many seconds pass, at once. */
    pass: (seconds: number): void => {
      boot += seconds * 1_000
      tick()
    },
    /** Waits until the log has an event of webhooks, with looks at the clock. */
    untilRecorded: async (
      type: string,
      count = 1,
    ): Promise<readonly { readonly data: Readonly<Record<string, unknown>> }[]> => {
      let rows: readonly { readonly type: string; readonly data: Readonly<Record<string, unknown>> }[] = []
      await until(
        `${count} ${type}`,
        async () => {
          tick()
          rows = ((await ask('admin', `GET /api/events?limit=1000&type=${type}`)).json.events as typeof rows) ?? []
          return rows.length >= count
        },
        10_000,
      )
      return rows
    },
  }
}
export type HookLab = Awaited<ReturnType<typeof hookLab>>
