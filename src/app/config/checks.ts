import { mkdtemp, rmdir, stat } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import * as E from 'fp-ts/lib/Either.js'
import { readAuditKey } from '../../audit/audit-key.ts'
import { isOfFullDisk } from '../../files/full-disk.ts'
import { readClientSecret } from '../../users/oidc/client-secret.ts'
import { readKeyRing } from '../../vault/keys.ts'
import type { Config } from './config.ts'
import { authorityProblems } from './values.ts'

type Problems = Promise<readonly string[]>

const reasonOf = (error: unknown): string => (error as Error).message.split(',')[0] ?? 'unknown'

const isAbsent = (path: string): Promise<boolean> =>
  stat(path).then(
    () => false,
    (error: NodeJS.ErrnoException) => error.code === 'ENOENT',
  )

const nearestExisting = async (path: string): Promise<string> => {
  const parent = dirname(path)
  return parent !== path && (await isAbsent(path)) ? nearestExisting(parent) : path
}

/** Permissions do not tell: root has all of them on `/proc`, which refuses everything. */
const tryToCreateIn = async (directory: string): Promise<void> => {
  try {
    await rmdir(await mkdtemp(join(directory, '.berth-')))
  } catch (error) {
    // A service with a log also starts on a full disk.
    if (!isOfFullDisk(error, directory)) throw error
  }
}

/** Why nothing can be created in a directory, which may not exist yet; undefined if something can. */
const whyNotWritable = async (directory: string): Promise<string | undefined> => {
  const existing = await nearestExisting(directory)
  try {
    if (!(await stat(existing)).isDirectory()) return `${existing} is not a directory`
    await tryToCreateIn(existing)
    return undefined
  } catch (error) {
    return `${existing} cannot be written: ${reasonOf(error)}`
  }
}

const directoryProblems = async (variable: string, directory: string): Problems => {
  const why = await whyNotWritable(directory)
  return why === undefined ? [] : [`${variable}: ${why}`]
}

/** A file named by a variable, and how to check it. */
interface Named {
  readonly variable: string
  readonly path: string
  readonly read: () => Promise<E.Either<readonly string[], unknown>>
}

const namedFiles = (config: Config): readonly Named[] => {
  const { vaultKeys, vaultKeyFile, auditKey, auditKeyFile } = config
  const readKeys = () => readKeyRing(config)
  const readKey = async () => E.mapLeft((problem: string) => [problem])(await readAuditKey(config))
  return [
    ...(vaultKeys === undefined ? [{ variable: 'BERTH_VAULT_KEY_FILE', path: vaultKeyFile, read: readKeys }] : []),
    ...(auditKey === undefined ? [{ variable: 'BERTH_AUDIT_KEY_FILE', path: auditKeyFile, read: readKey }] : []),
  ]
}

/** A file that exists must be usable. One that does not must be creatable, unless instances share it. */
const fileProblems = async ({ eventStore }: Config, { variable, path, read }: Named): Problems => {
  if (await isAbsent(path)) return eventStore.kind === 'sqlite' ? directoryProblems(variable, dirname(path)) : []
  const content = await read()
  return E.isLeft(content) ? content.left.map((problem) => `${variable}: ${problem}`) : []
}

const storeProblems = async ({ eventStore, data }: Config): Problems => {
  if (eventStore.kind === 'eventstoredb') return authorityProblems(eventStore.address.caFile)
  const { path } = eventStore
  const stats = await stat(path).catch(() => undefined)
  // Opening anything else but a directory may wait for ever.
  if (stats !== undefined && !stats.isFile() && !stats.isDirectory()) {
    return [`BERTH_EVENT_STORE: ${path} is not a regular file`]
  }
  const directory = dirname(path)
  // The first start creates the data directory and its parents.
  if (!relative(directory, data).startsWith('..') || !(await isAbsent(directory))) {
    return directoryProblems('BERTH_EVENT_STORE', directory)
  }
  return [`BERTH_EVENT_STORE: the directory ${directory} does not exist`]
}

const clientSecretProblems = async ({ oidc }: Config): Problems => {
  const read = oidc && (await readClientSecret(oidc.clientSecretFile))
  return read !== undefined && E.isLeft(read) ? [`BERTH_OIDC_CLIENT_SECRET_FILE: the client secret ${read.left}`] : []
}

const sameFileProblems = ({ eventStore }: Config, named: readonly Named[]): readonly string[] => {
  const log = eventStore.kind === 'sqlite' ? [{ variable: 'BERTH_EVENT_STORE', path: eventStore.path }] : []
  const files = [...log, ...named]
  return files.flatMap(({ variable, path }, n) => {
    const other = files.slice(0, n).find((before) => before.path === path)
    return other === undefined ? [] : [`${other.variable} and ${variable} name the same file ${path}`]
  })
}

/**
 * Checks everything that a configuration names, before anything is created. Returns every problem as a sentence that
 * names the variable. Certificates are checked by http/server/certificate.ts, the address by bind-port.ts.
 */
export const problemsOfConfig = async (config: Config): Problems => {
  const named = namedFiles(config)
  const [data, same] = [await directoryProblems('BERTH_DATA', config.data), sameFileProblems(config, named)]
  // Do not report problems that follow from an unusable data directory.
  const isUsable = (path: string): boolean => data.length === 0 || relative(config.data, path).startsWith('..')
  const isLogUsable = config.eventStore.kind !== 'sqlite' || isUsable(config.eventStore.path)
  const checked = await Promise.all([
    ...(isLogUsable ? [storeProblems(config)] : []),
    ...(same.length === 0 ? named.filter(({ path }) => isUsable(path)) : []).map((each) => fileProblems(config, each)),
    clientSecretProblems(config),
  ])
  return [...data, ...same, ...checked.flat()]
}
