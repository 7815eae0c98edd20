import { Agent, type IncomingHttpHeaders, request } from 'node:http'
import { formatPosition, toPublicPosition } from '../../src/domain/values/position.ts'
import { basic, type Headers } from '../http/client.ts'

/** A position as clients see it. */
export const sequenceAt = (position: number): string => formatPosition(toPublicPosition(position))

/** One message of a stream: an event, a checkpoint or an error. `data` is its JSON. */
export interface Message {
  /** The type of the event, `checkpoint` or `error`. */
  readonly kind: string
  /** The position to resume from. */
  readonly position: string | undefined
  readonly data: string
}

export interface Reading {
  readonly messages: readonly Message[]
  /** Heartbeats: comments or empty lines. */
  readonly beats: number
  readonly retry: number | undefined
}

/** Parses the complete messages of Server-Sent Events, as in WHATWG HTML, section 9.2.6. */
export const readEventStream = (text: string): Reading => {
  const messages: Message[] = []
  let beats = 0
  let retry: number | undefined
  for (const block of text.split('\n\n').slice(0, -1)) {
    const fields = new Map<string, string>()
    for (const line of block.split('\n')) {
      const [, name = '', value = ''] = /^([^:]*):? ?(.*)$/s.exec(line) ?? []
      if (name === '') beats++
      else fields.set(name, value)
    }
    if (fields.has('retry')) retry = Number(fields.get('retry'))
    const data = fields.get('data')
    if (data !== undefined) messages.push({ kind: fields.get('event') ?? '', position: fields.get('id'), data })
  }
  return { messages, beats, retry }
}

interface Line {
  readonly type?: string
  readonly sequence?: string
  readonly checkpoint?: { readonly sequence: string }
  readonly error?: { readonly sequence?: string }
}

/** Parses the complete lines. */
export const readLines = (text: string): Reading => {
  const lines = text.split('\n').slice(0, -1)
  const messages = lines
    .filter((line) => line !== '')
    .map((data): Message => {
      const { type, sequence, checkpoint, error } = JSON.parse(data) as Line
      if (checkpoint !== undefined) return { kind: 'checkpoint', position: checkpoint.sequence, data }
      if (error !== undefined) return { kind: 'error', position: error.sequence, data }
      return { kind: type as string, position: sequence, data }
    })
  return { messages, beats: lines.length - messages.length, retry: undefined }
}

export const EVENT_STREAM = 'text/event-stream'
export const LINES = 'application/x-ndjson'

/** A stream, from the client's side. */
export interface OpenStream {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  /** All text received so far. */
  readonly text: () => string
  readonly reading: () => Reading
  /** Resolves once the condition holds; rejects if the stream ends first or after a timeout. */
  readonly until: (isSo: (reading: Reading) => boolean) => Promise<Reading>
  /** `whole` if the service ended it, `cut` if the connection broke. */
  readonly ended: Promise<'whole' | 'cut'>
  readonly close: () => void
}

/** Timeout in milliseconds. */
const WITHIN = 20_000

export interface Asking {
  readonly path?: string
  readonly name?: string
  readonly accept?: string
  readonly headers?: Headers
}

const agent = new Agent({ maxSockets: Number.POSITIVE_INFINITY })

/** Opens a stream; resolves with its response head. */
export const openStream = (
  port: number,
  query = '',
  { path = '/api/events', name = 'audrey', accept = EVENT_STREAM, headers = {} }: Asking = {},
): Promise<OpenStream> =>
  new Promise((resolve, reject) => {
    const all = { Authorization: basic(name), Accept: accept, ...headers }
    const sent = request({ agent, host: '127.0.0.1', port, path: `${path}${query}`, headers: all }, (response) => {
      let text = ''
      const ended = Promise.withResolvers<'whole' | 'cut'>()
      const changed = new Set<() => void>()
      response.setEncoding('utf8').on('data', (chunk: string) => {
        text += chunk
        for (const look of changed) look()
      })
      response.on('error', () => undefined)
      response.on('close', () => ended.resolve(response.complete ? 'whole' : 'cut'))
      const reading = (): Reading => (accept === LINES ? readLines(text) : readEventStream(text))
      const until = (isSo: (reading: Reading) => boolean): Promise<Reading> =>
        new Promise((found, failed) => {
          const fail = (why: string) => (): void => failed(new Error(`${why}: ${text.slice(-2_000)}`))
          const late = setTimeout(fail(`not within ${WITHIN} ms`), WITHIN)
          const look = (): void => {
            if (!isSo(reading())) return
            clearTimeout(late)
            changed.delete(look)
            found(reading())
          }
          changed.add(look)
          look()
          void ended.promise.then(look).then(fail('the stream has ended'))
        })
      const { statusCode: status = 0, headers } = response
      resolve({ status, headers, text: () => text, reading, until, ended: ended.promise, close: () => sent.destroy() })
    })
    sent.on('error', reject)
    sent.end()
  })

/** Only the events. */
export const eventsIn = ({ messages }: Reading): readonly Message[] =>
  messages.filter(({ kind }) => kind.startsWith('berth.'))
