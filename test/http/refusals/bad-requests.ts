import fc from 'fast-check'
import type { Running } from '../harness.ts'
import { exchange, type RawAnswer } from '../server/raw-http.ts'
import { badRequest } from './bad-request.ts'
import { faultsOf } from './problems.ts'

export interface Outcome {
  /** The number of answers by code, `2xx` for requests that turned out valid. */
  readonly codes: Readonly<Record<string, number>>
  /** The first ten undocumented answers, with their requests. */
  readonly faults: readonly string[]
}

/** Concurrent connections: few enough that password checks never overflow their queue. */
const AT_ONCE = 8
/** Requests generated at once. */
const CHUNK = 1_000

const MEDIA_TYPES = ['application/json', 'application/problem+json']

/** Some of the requests name a position that the log has not reached. */
const isOfAnotherPosition = ({ status, text, json }: RawAnswer): boolean =>
  status === 503 && (text === '' || json.code === 'position_not_reached')

const faultsOfAnswer = (answer: RawAnswer | undefined, isToHead: boolean): readonly string[] => {
  if (answer === undefined) return ['closed without an answer']
  const { status, headers } = answer
  if (status >= 500 && status !== 501 && !isOfAnotherPosition(answer)) return [`${status} ${answer.text}`]
  if (status < 400) return [200, 201, 204, 304].includes(status) ? [] : [`${status}`]
  if (isToHead) return []
  // What is no request Node refuses without a body.
  if (answer.text === '' && [400, 408, 431].includes(status)) return []
  return faultsOf(
    answer,
    MEDIA_TYPES.find((type) => type === headers['content-type']),
  )
}

const codeOf = (answer: RawAnswer | undefined): string => {
  if (answer === undefined) return 'none'
  if (answer.status < 400) return '2xx'
  return answer.text === '' ? `bare ${answer.status}` : String(answer.json.code)
}

/** Sends bad requests, each on its own connection, and checks the answers. The seed makes them reproducible. */
export const sendBadRequests = async (
  { port }: Pick<Running, 'port'>,
  count: number,
  seed: number,
): Promise<Outcome> => {
  const codes: Record<string, number> = {}
  const faults: string[] = []
  const send = async (bytes: Buffer): Promise<void> => {
    const answer = await exchange(port, bytes).catch((error: Error) => error)
    const isToHead = bytes.subarray(0, 5).toString() === 'HEAD '
    const found = answer instanceof Error ? [answer.message] : faultsOfAnswer(answer, isToHead)
    const code = answer instanceof Error ? 'none' : codeOf(answer)
    codes[code] = (codes[code] ?? 0) + 1
    if (found.length > 0 && faults.length < 10) {
      faults.push(`${found.join('; ')}: ${JSON.stringify(bytes.toString('latin1').slice(0, 2000))}`)
    }
  }
  for (let done = 0; done < count; done += CHUNK) {
    const requests = fc.sample(badRequest, { numRuns: Math.min(CHUNK, count - done), seed: seed + done })
    const client = async (): Promise<void> => {
      for (let next = requests.pop(); next !== undefined; next = requests.pop()) await send(next)
    }
    await Promise.all(Array.from({ length: AT_ONCE }, client))
  }
  return { codes, faults }
}
