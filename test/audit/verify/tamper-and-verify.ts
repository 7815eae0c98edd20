import { randomBytes } from 'node:crypto'
import { copyFileSync } from 'node:fs'
import type { SignedHead } from '../../../src/audit/verify/checkpoints.ts'
import { type Verified, verifyLog } from '../../../src/audit/verify/verify.ts'
import { BEGINNING } from '../../../src/event-store/event-store.ts'
import { openLinks } from '../../../src/event-store/sqlite/copy.ts'
import { openSqliteStore } from '../../../src/event-store/sqlite/store.ts'
import { type Kind, type Numbers, rootOf, rowsOf, tamper } from './tampering.ts'

/** Runs the checks of `verify` in this process. */
export const verifyFile = async (path: string, against: readonly SignedHead[]): Promise<Verified> => {
  const onFatal = (error: Error): never => {
    throw error
  }
  const store = openSqliteStore({ path, readOnly: true, randomHex: () => '', onFatal })
  const links = openLinks(path)
  try {
    return await verifyLog({ records: store.records(BEGINNING), links, against })
  } finally {
    links.close()
    await store.close()
  }
}

export interface Tampered {
  /** All tamperings, and those found only by the checkpoint. */
  readonly counts: { readonly tamperings: number; readonly byCheckpointAlone: number }
  readonly problems: readonly string[]
}

/** Tampers with copies of a log `count` times and checks that each tampering is found at the right place. */
export const tamperAndVerify = async (log: string, kind: Kind, number: Numbers, count: number): Promise<Tampered> => {
  const rows = rowsOf(log)
  const texts = rows.map(({ text }) => text)
  const checkpoint = (size: number): SignedHead => ({ name: `at ${size}`, size, root: rootOf(texts.slice(0, size)) })
  const sizes = [1, 2, 3].map((third) => Math.floor((texts.length * third) / 3))
  const against = sizes.map(checkpoint)
  const copy = `${log}.${randomBytes(8).toString('hex')}`
  const problems: string[] = []
  let byCheckpointAlone = 0
  for (let n = 0; n < count; n++) {
    const isKnowing = n % 2 === 0
    copyFileSync(log, copy)
    const first = tamper(copy, rows, kind, number, isKnowing)
    const { found, findings, place } = await verifyFile(copy, against)
    const what = `${kind} at ${first} with ${isKnowing ? 'matching' : 'old'} hashes`
    if (place === undefined) {
      problems.push(`${what} was not found`)
      continue
    }
    if (found === 0) byCheckpointAlone++
    const isWithin = place.unchanged_up_to < first && first < place.differs_before
    if (!isWithin) problems.push(`${what} was placed between ${place.unchanged_up_to} and ${place.differs_before}`)
    const isNamed = findings.some(({ position, what }) => position === first && what.includes('its hash'))
    const keepsHash = !isKnowing && (kind === 'value changed' || kind === 'bytes edited')
    if (keepsHash && !isNamed) problems.push(`${what} was not named by its hash`)
  }
  return { counts: { tamperings: count, byCheckpointAlone }, problems }
}
