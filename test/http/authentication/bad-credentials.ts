import fc from 'fast-check'
import { anyCharacter } from '../../characters.ts'
import { type Answer, basic } from '../client.ts'
import type { Running } from '../harness.ts'
import { faultsOf } from '../refusals/problems.ts'

/** Text that Node's client accepts as a header value. */
const headerText = fc
  .string({ unit: fc.integer({ min: 0x20, max: 0xff }).map((code) => String.fromCharCode(code)) })
  .map((text) => text.replaceAll('\u007f', ''))
const GOOD = basic('admin')

const credentials = fc
  .oneof(
    headerText,
    fc.uint8Array({ maxLength: 300 }).map((bytes) => `Basic ${Buffer.from(bytes).toString('base64')}`),
    fc.tuple(fc.constantFrom('admin', 'alice', 'x'), fc.string({ unit: anyCharacter })).map((pair) => basic(...pair)),
    // Valid ones, damaged.
    fc.tuple(fc.nat({ max: 40 }), headerText).map(([at, text]) => `${GOOD.slice(0, at)}${text || '!'}`),
    fc.tuple(headerText, fc.constantFrom(' ', ', ', ';')).map(([text, between]) => `${GOOD}${between}${text}.`),
    fc.constantFrom('Bearer', 'Digest', 'Basic', 'Basic:', '').map((scheme) => `${scheme} ${GOOD.slice(6)}=A`),
    fc.nat({ max: 20_000 }).map((length) => `Basic ${'A'.repeat(length)}`),
  )
  // Credentials that differ only in trailing blanks or padding are still valid.
  .filter((header) => header.replace(/[ =]+$/, '') !== GOOD.replace(/=+$/, ''))

/** Which code it is depends on the number of attempts in the last minute. */
const isRefused = ({ json: { code } }: Answer): boolean => code === 'unauthenticated' || code === 'too_many_attempts'

/** Sends the given number. Returns every answer that is not a documented refusal. */
export const sendBadCredentials = async (
  service: Pick<Running, 'anyone'>,
  count: number,
  seed?: number,
): Promise<{ sent: number; faults: readonly string[] }> => {
  let sent = 0
  const property = fc.asyncProperty(credentials, async (header) => {
    const answer = await service.anyone.get('/api/user/me', { Authorization: header })
    sent++
    const faults = faultsOf(answer)
    if (!isRefused(answer) || faults.length > 0) throw new Error(`${answer.status} ${answer.text} ${faults.join()}`)
  })
  const checked = await fc.check(property, { numRuns: count, ...(seed !== undefined && { seed }) })
  return { sent, faults: checked.failed ? [`seed ${checked.seed}: ${String(checked.errorInstance)}`] : [] }
}
