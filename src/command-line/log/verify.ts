import { readFile } from 'node:fs/promises'
import * as E from 'fp-ts/lib/Either.js'
import { openCheckpoint } from '../../audit/checkpoint.ts'
import { readVerifier, type Verifier, verifierOf } from '../../audit/signed-note.ts'
import type { CheckpointComparison, SignedHead } from '../../audit/verify/checkpoints.ts'
import type { Finding } from '../../audit/verify/findings.ts'
import { makeJudge } from '../../audit/verify/judge.ts'
import { type Verified, type VerifyOptions, verifyLog } from '../../audit/verify/verify.ts'
import { BEGINNING, type EventStore } from '../../event-store/event-store.ts'
import { openLinks } from '../../event-store/sqlite/links.ts'
import type { Config } from '../../service/config/config.ts'
import { openStoreBeside } from '../../service/open-store.ts'
import { signerOf } from '../keys/audit-key.ts'
import { followSecrets, notChecked, ringAtHand, type VerifiedVault, verifyVault } from '../keys/verify-vault.ts'
import { type Command, DONE, MISUSED, makeProgress, refuse, type Terminal } from '../terminal/command.ts'
import { judgeBeside } from './verify-beside.ts'

/** Something was found: told apart from a log that cannot be read, so that whoever runs it by the clock can. */
const FOUND = 3
/** Findings that the JSON holds. */
const KEPT_MAX = 10_000
/** Findings that are printed; the others are in the JSON. */
const SHOWN = 20
/** Bytes of a checkpoint's file that are read. */
const NOTE_MAX = 100_000

/** With the one line break at its end that it was signed with: editors add another, or take it away. */
const ended = (note: string): string => {
  let end = note.length
  while (note[end - 1] === '\n') end--
  return `${note.slice(0, end)}\n`
}

const readAgainst = async (file: string, verifier: Verifier): Promise<E.Either<string, SignedHead>> => {
  const note = await readFile(file)
  if (note.length > NOTE_MAX) return E.left(`${file} is no checkpoint: it is too long`)
  const opened = openCheckpoint(ended(note.toString('utf8')), verifier)
  if (E.isLeft(opened)) return E.left(`${file}: the checkpoint ${opened.left}`)
  return E.right({ name: file, size: opened.right.size, root: opened.right.root })
}

/** Every checkpoint, each signed by the key. Left: the first that is not to be trusted. */
const readAll = async (
  files: readonly string[],
  verifierOfAll: () => Promise<E.Either<string, Verifier>>,
): Promise<E.Either<string, readonly SignedHead[]>> => {
  if (files.length === 0) return E.right([])
  const verifier = await verifierOfAll()
  if (E.isLeft(verifier)) return verifier
  const all: SignedHead[] = []
  for (const file of files) {
    const read = await readAgainst(file, verifier.right)
    if (E.isLeft(read)) return read
    all.push(read.right)
  }
  return E.right(all)
}

/** Events from which on another thread is worth its start. */
const MANY = 20_000

/** Reads the log of either store; the embedded one keeps more beside it that can be held against it. */
const verifyStore = async (
  store: EventStore,
  { eventStore }: Config,
  read: Required<Pick<VerifyOptions, 'records' | 'reread' | 'against'>>,
  show: (done: number, of: number | undefined) => void,
): Promise<Verified> => {
  if (eventStore.kind !== 'sqlite') {
    return verifyLog({ ...read, onProgress: (done) => show(done, undefined) })
  }
  const { path } = eventStore
  const of = (await store.head()) + 1
  const options = { ...read, isDense: true, onProgress: (done: number) => show(done, of) }
  if (of >= MANY) {
    const judge = judgeBeside(path)
    return verifyLog({ ...options, judge }).finally(judge.close)
  }
  const links = openLinks(path)
  return verifyLog({ ...options, judge: makeJudge(links) }).finally(links.close)
}

const told = ({ name, size, is_extended, root }: CheckpointComparison, events: number): string => {
  if (is_extended) return `${name}: the first ${size} events are unchanged`
  if (root === null) return `${name}: ${size} events were signed, the log has ${events}`
  return `${name}: the first ${size} events are not those that were signed`
}

/** Both together, as one. */
interface Whole extends Verified {
  readonly vault: Omit<VerifiedVault, 'findings'> | null
  /** In sentences. */
  readonly not_checked: readonly string[]
}

const inOrder = (a: Finding, b: Finding): number =>
  (a.position ?? Number.POSITIVE_INFINITY) - (b.position ?? Number.POSITIVE_INFINITY) || 0

const whole = (verified: Verified, vault: VerifiedVault | undefined, config: Config): Whole => {
  const not_checked = notChecked(vault, config)
  if (vault === undefined) return { ...verified, vault: null, not_checked }
  const { findings, ...counts } = vault
  return {
    ...verified,
    found: verified.found + findings.length,
    findings: [...verified.findings, ...findings].sort(inOrder).slice(0, KEPT_MAX),
    vault: counts,
    not_checked,
  }
}

const show = (verified: Whole, { stdout }: Terminal): void => {
  const { events, root, found, findings, against, place, vault, not_checked } = verified
  for (const { position, what } of findings.slice(0, SHOWN)) {
    stdout(position === null ? `${what}\n` : `position ${position}: ${what}\n`)
  }
  if (found > SHOWN) stdout(`and ${found - SHOWN} more, which --json tells\n`)
  for (const compared of against) stdout(`${told(compared, events)}\n`)
  if (place !== undefined) {
    const { unchanged_up_to, differs_before } = place
    const same = unchanged_up_to === -1 ? '' : `unchanged up to position ${unchanged_up_to}, `
    stdout(`${same}differs before position ${differs_before}\n`)
  }
  if (vault !== null) stdout(`vault: ${vault.secrets} secrets, ${vault.opened} of them opened\n`)
  for (const what of not_checked) stdout(`not checked: ${what}\n`)
  const isSound = found === 0 && place === undefined
  stdout(`${isSound ? 'sound' : 'NOT sound'}: ${events} events; root ${root}\n`)
}

export const verifyCommand: Command = {
  name: 'verify',
  operands: [],
  options: {
    against: { type: 'string', multiple: true },
    key: { type: 'string' },
    vault: { type: 'boolean' },
    json: { type: 'boolean' },
  },
  summary: 'checks that the log is lawful, whole and what was once signed',
  example: 'verify --against berth.checkpoint',
  help: `
Reads the whole log once, decodes every event, and checks every rule that Berth promises: no two reservations hold a SUT
at the same moment, listen ports are unique while they are held, times never fall and revisions have no gaps in a
stream, no id comes twice, and so on. Recomputes every leaf of the tree and its root. Works beside a running service.

--against FILE, as often as there are checkpoints, proves that today's log extends that one: that not one event of it
has been changed, removed, inserted or moved since. The signature must be that of the key in the data directory, or of
--key, the verifier key that "audit key" prints. Where the log is no longer what was signed, the place is named: by the
hashes that are kept with the events, if those were left as they were, else by the checkpoints between which it lies.

--vault checks besides that each secret of a SUT is in the vault, opens with its key and is that of the SUT and the
event, and that none is there which no event has set. It needs the vault's keys; what cannot be checked without one is
said.

With --json it prints {"sound","log_id","events","root","found","findings","against","place","vault","not_checked"},
the findings (the first 10,000) as {"position","what"}; "place", where there is one, as
{"unchanged_up_to","differs_before"}; "vault" as {"secrets","opened","unopened"}, or null; "not_checked" in sentences.`,
  exitCodes: `Exit codes: 0 sound, and unchanged since the checkpoints; 1 the log cannot be read, or a checkpoint is not
signed by the key; 2 wrong command or configuration; 3 something was found.`,
  run: async ({ options }, config, terminal) => {
    const key = options.key as string | undefined
    const files = (options.against ?? []) as unknown as readonly string[]
    const given = key === undefined ? undefined : readVerifier(key)
    if (given !== undefined && (E.isLeft(given) || files.length === 0)) {
      const why = E.isLeft(given) ? `the verifier key ${given.left}` : 'it goes with --against FILE'
      terminal.stderr(`berth: --key: ${why}\n`)
      return MISUSED
    }
    const against = await readAll(files, async () => given ?? E.map(verifierOf)(await signerOf(config)))
    if (E.isLeft(against)) return refuse(terminal, against.left)
    const ring = options.vault === true ? await ringAtHand(config) : undefined
    if (ring !== undefined && E.isLeft(ring)) return refuse(terminal, ring.left)
    const store = await openStoreBeside(config)
    const progress = makeProgress(terminal)
    try {
      const followed = ring && followSecrets(store, BEGINNING, config.eventStore.kind === 'sqlite')
      const reread = () => store.records(BEGINNING)
      const read = { records: followed?.records ?? reread(), reread, against: against.right }
      const ofLog = await verifyStore(store, config, read, progress.show).finally(progress.end)
      const vault = ring && followed && (await verifyVault(store, ring.right, followed))
      const verified = whole(ofLog, vault, config)
      const isSound = verified.found === 0 && verified.place === undefined
      if (!options.json) show(verified, terminal)
      else terminal.stdout(`${JSON.stringify({ sound: isSound, log_id: store.logId, ...verified })}\n`)
      return isSound ? DONE : FOUND
    } finally {
      await store.close()
    }
  },
}
