import { join } from 'node:path'
import * as E from 'fp-ts/lib/Either.js'
import type { Config } from '../../app/config/config.ts'
import { findMissingBeside, openStoreForCommand } from '../../app/core/open-store.ts'
import { AUDIT_KEY_ID, AUDIT_OWNER, readKnownKey } from '../../audit/audit-key.ts'
import { openCheckpoint } from '../../audit/checkpoint.ts'
import { readVerifier, type Verifier, verifierOf } from '../../audit/signed-note.ts'
import type { CheckpointComparison, SignedHead } from '../../audit/verify/checkpoints.ts'
import { byPosition, FINDINGS_MAX, verifyLog } from '../../audit/verify/verify.ts'
import { textsOf } from '../../client/command.ts'
import { pick } from '../../domain/values/pick.ts'
import { BEGINNING, type EventStore } from '../../event-store/event-store.ts'
import { openLinks } from '../../event-store/sqlite/copy.ts'
import { readAtMost } from '../../files/read-regular-file.ts'
import { describeLoss, findLostEvents } from '../../read-models/file/lost-events.ts'
import { type Comparison, isCompared, replay } from '../../read-models/replay.ts'
import { followSecrets, type VerifiedVault, verifyVault } from '../../vault/check-secrets.ts'
import type { KeyRing } from '../../vault/keys.ts'
import { type Command, CommandFailure, DONE, Misused, REFUSED, type Terminal } from '../terminal/command.ts'
import { makeLogProgress, makeProgress } from '../terminal/progress.ts'
import { signerOf } from './audit.ts'
import { readConfiguredKeys } from './keys.ts'

/** The last line: whether the two are the same, and what it does not cover. */
const verdictOf = (compared: Comparison): string => {
  const { differences, documents, events, behind } = compared
  const lag = `the views have reached event ${events} of ${events + behind}: run it again when the service has caught up`
  if (!isCompared(compared)) return `not compared: ${lag}`
  const verdict = differences.length === 0 ? 'same' : 'different'
  return `${verdict}: ${documents} documents from ${events} events${behind === 0 ? '' : `; ${lag}`}`
}

/** For a running service to update its views. */
const CATCH_UP_TIMEOUT_MS = 3_000

export const replayCommand: Command = {
  name: 'replay',
  options: { json: { type: 'boolean' } },
  summary: 'rebuilds the documents from the log and compares them with those in use',
  example: 'replay --json',
  isOfFiles: true,
  help: `
Folds the log into fresh documents, up to the position that those in use have reached, and compares the two: one line
for each that differs, and a last one that begins with "same" or "different". Works on the files, with or without a
running service. Exits with code 1 when those in use cover none of the log.

With --json it prints {"same","position","events","documents","behind","differences"} on one line.`,
  run: async ({ options }, config, terminal) => {
    await using store = await openStoreForCommand(config)
    const progress = makeProgress(terminal)
    const views = join(config.data, 'views.db')
    const compared = await replay(views, store, progress.show, CATCH_UP_TIMEOUT_MS).finally(progress.end)
    const isSame = compared.differences.length === 0 && isCompared(compared)
    if (options.json) terminal.stdout(`${JSON.stringify({ same: isSame, ...compared })}\n`)
    else terminal.stdout([...compared.differences, verdictOf(compared)].map((line) => `${line}\n`).join(''))
    return isSame ? DONE : REFUSED
  },
}

/** Something was found, as opposed to a log that cannot be read. */
const FOUND = 3
/** Maximum number of findings printed. The JSON has more. */
const FINDINGS_SHOWN = 20

/** Maximum size of a checkpoint file, in bytes. */
const NOTE_MAX = 100_000

const readAgainst = async (file: string, verifier: Verifier): Promise<SignedHead> => {
  const note = await readAtMost(file, NOTE_MAX).catch(({ code }: NodeJS.ErrnoException) => code)
  if (!Buffer.isBuffer(note)) throw new CommandFailure(`${file} cannot be read: ${note}`)
  if (note.length > NOTE_MAX) throw new CommandFailure(`${file} is not a checkpoint: it is too long`)
  // As it was signed: editors add or remove line breaks.
  const opened = openCheckpoint(`${note.toString('utf8').trimEnd()}\n`, verifier)
  if (E.isLeft(opened)) throw new CommandFailure(`${file}: the checkpoint ${opened.left}`)
  return { name: file, size: opened.right.size, root: opened.right.root }
}

const comparison = ({ name, size, is_extended, root }: CheckpointComparison, events: number): string => {
  if (is_extended) return `${name}: the first ${size} events are unchanged`
  if (root === null) return `${name}: ${size} events were signed, the log has ${events}`
  return `${name}: the first ${size} events are not those that were signed`
}

const notChecked = (vault: VerifiedVault | undefined, config: Config): readonly string[] => {
  if (vault === undefined) return ['the secrets in the vault (use --vault)']
  const where = config.vaultKeys === undefined ? config.vaultKeyFile : 'BERTH_VAULT_KEY'
  return vault.unopened.map(({ key, secrets, is_forgotten }) => {
    const why = is_forgotten ? 'was lost and forgotten' : `is not in ${where}`
    return `${secrets} secrets, as their key ${JSON.stringify(key)} ${why}`
  })
}

/** Verifies the log, what is beside it and, with keys, the vault. Sentences are findings without a position. */
const verifyAll = async (
  store: EventStore,
  against: readonly SignedHead[],
  ring: Pick<KeyRing, 'keys'> | undefined,
  config: Config,
  terminal: Terminal,
) => {
  const progress = await makeLogProgress(store, config, terminal)
  const { eventStore } = config
  const followed = ring && followSecrets(store, BEGINNING, eventStore.kind === 'sqlite')
  const links = eventStore.kind === 'sqlite' ? openLinks(eventStore.path) : undefined
  const records = followed?.records ?? store.records(BEGINNING)
  const ofLog = await verifyLog({ records, links, against, onProgress: progress.show }).finally(() => {
    progress.end()
    links?.close()
  })
  const vault =
    ring && followed && (await verifyVault(store, ring, followed, { keyId: AUDIT_KEY_ID, owner: AUDIT_OWNER }))
  const lost = await findLostEvents(join(config.data, 'views.db'), store)
  const auditKey = await readKnownKey(store)
  const beside = [
    ...(E.isLeft(auditKey) ? [auditKey.left] : []),
    ...(await findMissingBeside(store)),
    ...(E.isRight(lost) && lost.right ? [describeLoss(lost.right)] : []),
  ]
  const added = [...(vault?.findings ?? []), ...beside.map((what) => ({ position: null, what }))]
  return {
    ...ofLog,
    found: ofLog.found + added.length,
    findings: [...ofLog.findings, ...added].sort(byPosition).slice(0, FINDINGS_MAX),
    vault: vault === undefined ? null : pick(vault, ['secrets', 'opened', 'unopened']),
    not_checked: [...notChecked(vault, config), ...(E.isLeft(lost) ? [lost.left] : [])],
  }
}

type Whole = Awaited<ReturnType<typeof verifyAll>>

const show = (verified: Whole, isSound: boolean, { stdout }: Terminal): void => {
  const { events, root, found, findings, against, place, vault, not_checked } = verified
  for (const { position, what } of findings.slice(0, FINDINGS_SHOWN)) {
    stdout(position === null ? `${what}\n` : `position ${position}: ${what}\n`)
  }
  if (found > FINDINGS_SHOWN) stdout(`and ${found - FINDINGS_SHOWN} more, which --json lists\n`)
  for (const compared of against) stdout(`${comparison(compared, events)}\n`)
  if (place !== undefined) {
    const { unchanged_up_to, differs_before } = place
    const same = unchanged_up_to === -1 ? '' : `unchanged up to position ${unchanged_up_to}, `
    stdout(`${same}differs before position ${differs_before}\n`)
  }
  if (vault !== null) stdout(`vault: ${vault.secrets} secrets, ${vault.opened} of them opened\n`)
  for (const what of not_checked) stdout(`not checked: ${what}\n`)
  stdout(`${isSound ? 'sound' : 'NOT sound'}: ${events} events; root ${root}\n`)
}

/** Shown only on a terminal, so that the output for scripts does not change. */
const NOTHING_TO_COMPARE = `
Compared with no checkpoint: the log is consistent, but may have been rewritten.
Anybody who can write the file can change an event together with its hash. A
checkpoint kept elsewhere proves that nobody did:
  npx berth checkpoint > berth.checkpoint       keep it on another machine
  npx berth verify --against berth.checkpoint   later, as often as you like
`

export const verifyCommand: Command = {
  name: 'verify',
  options: {
    against: { type: 'string', multiple: true },
    key: { type: 'string' },
    vault: { type: 'boolean' },
    json: { type: 'boolean' },
  },
  summary: 'checks that the log is consistent and extends what was signed',
  example: 'verify --against berth.checkpoint',
  isOfFiles: true,
  help: `
Reads the whole log once, decodes every event, checks every rule that Berth promises, and recomputes the root of the
Merkle tree. Also looks at what the log remembers beside its events: its audit key, its end, the schema of the file and
the note of the last writer. Views in the data directory that were made from events which the log lacks are a finding.
It reads the log itself, with or without a running service, never the service at BERTH_URL, whose word would prove
nothing.

--against FILE proves that the log extends a signed checkpoint: that no event of it has been changed, removed, inserted
or moved since. The signature must be that of the key in the data directory, or of --key, the verifier key that "audit
key" prints. Where the log differs, the place is named, as far as hashes and checkpoints show it.

--vault also checks that each secret of a SUT or a user is in the vault, opens with its key and belongs to its owner and
event, and that the vault has no other. It needs the keys of the vault, and names what it could not check without one.

With --json it prints {"sound","log_id","events","root","found","findings","against","place","vault","not_checked"},
the findings (the first 10,000) as {"position","what"}; "place", if any, as {"unchanged_up_to","differs_before"};
"vault" as {"secrets","opened","unopened"}, or null; "not_checked" as sentences.`,
  exitCodes: `Exit codes: 0 sound, and unchanged since the checkpoints; 1 the log cannot be read, or a checkpoint is not
signed with the key; 2 wrong command or configuration; 3 something was found.`,
  run: async ({ options }, config, terminal) => {
    const key = options.key as string | undefined
    const files = textsOf(options.against)
    const verifier = key === undefined ? undefined : readVerifier(key)
    if (verifier !== undefined && (E.isLeft(verifier) || files.length === 0)) {
      throw new Misused(
        `--key: ${E.isLeft(verifier) ? `the verifier key ${verifier.left}` : 'requires --against FILE'}`,
      )
    }
    const signer = files.length > 0 ? (verifier?.right ?? verifierOf(await signerOf(config))) : undefined
    const against = await Promise.all(signer ? files.map((file) => readAgainst(file, signer)) : [])
    const ring = options.vault === true ? await readConfiguredKeys(config) : undefined
    await using store = await openStoreForCommand(config)
    const verified = await verifyAll(store, against, ring, config, terminal)
    const isSound = verified.found === 0 && verified.place === undefined
    if (!options.json) show(verified, isSound, terminal)
    else terminal.stdout(`${JSON.stringify({ sound: isSound, log_id: store.logId, ...verified })}\n`)
    if (terminal.isWatched && files.length === 0) terminal.stderr(NOTHING_TO_COMPARE)
    return isSound ? DONE : FOUND
  },
}
