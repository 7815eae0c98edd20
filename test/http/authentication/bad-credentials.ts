import fc from 'fast-check'
import { anyCharacter } from '../../characters.ts'
import { type Answer, basic } from '../client.ts'
import type { Running } from '../harness.ts'
import { faultsOf } from '../refusals/problems.ts'

/** What Node's client lets through as a header. */
const headerText = fc.string({ unit: fc.integer({ min: 0x20, max: 0xff }).map((code) => String.fromCharCode(code)) })
const legal = (text: string): string => text.replaceAll('\u007f', '')
const base64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64')
const anyCredentials = fc.oneof(
  headerText,
  fc.uint8Array({ maxLength: 300 }).map((bytes) => `Basic ${base64(bytes)}`),
  fc.tuple(fc.string(), fc.string()).map(([name, password]) => basic(name, password)),
  fc.constantFrom('admin', 'alice').chain((name) => fc.string({ unit: anyCharacter }).map((text) => basic(name, text))),
  // The right ones, spoilt.
  fc.tuple(fc.nat({ max: 40 }), headerText).map(([at, text]) => `${basic('admin').slice(0, at)}${text || '!'}`),
  fc.tuple(headerText, fc.constantFrom(' ', ', ', ';')).map(([text, between]) => `${basic('admin')}${between}${text}.`),
  fc.constantFrom('Bearer', 'Digest', 'Basic', 'Basic:', '').map((scheme) => `${scheme} ${basic('admin').slice(6)}=A`),
  fc.nat({ max: 20_000 }).map((length) => `Basic ${'A'.repeat(length)}`),
)

// Blanks at the end and padding are as good as none: spoilt with no more than that, credentials are the right ones.
const isSpoilt = (header: string): boolean => legal(header).replace(/[ =]+$/, '') !== basic('admin').replace(/=+$/, '')
const credentials = anyCredentials.filter(isSpoilt)

/** Which of the two it is depends on how many there have been in the last minute. */
const isShutOut = ({ json: { code } }: Answer): boolean => code === 'unauthenticated' || code === 'too_many_attempts'

/** Sends so many; what was answered otherwise than by shutting out, in the documented form. */
export const sendBadCredentials = async (
  service: Pick<Running, 'anyone'>,
  count: number,
  seed?: number,
): Promise<{ sent: number; faults: readonly string[] }> => {
  let sent = 0
  const property = fc.asyncProperty(credentials, async (header) => {
    const answer = await service.anyone.get('/api/user/me', { Authorization: legal(header) })
    sent++
    const faults = faultsOf(answer)
    if (!isShutOut(answer) || faults.length > 0) throw new Error(`${answer.status} ${answer.text} ${faults.join()}`)
  })
  const checked = await fc.check(property, { numRuns: count, ...(seed !== undefined && { seed }) })
  return { sent, faults: checked.failed ? [`seed ${checked.seed}: ${String(checked.errorInstance)}`] : [] }
}
