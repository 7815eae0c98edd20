import { createPrivateKey, X509Certificate } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { createSecureContext } from 'node:tls'
import * as E from 'fp-ts/lib/Either.js'
import type { Clock } from '../../domain/values/units.ts'
import { readRegularText } from '../../files/read-regular-file.ts'

/** Every accepted version and cipher suite has forward secrecy and authenticated encryption. */
export const TLS = {
  minVersion: 'TLSv1.2',
  ciphers: [
    ...['TLS_AES_128_GCM_SHA256', 'TLS_AES_256_GCM_SHA384', 'TLS_CHACHA20_POLY1305_SHA256'],
    ...['ECDHE-ECDSA-AES128-GCM-SHA256', 'ECDHE-RSA-AES128-GCM-SHA256'],
    ...['ECDHE-ECDSA-AES256-GCM-SHA384', 'ECDHE-RSA-AES256-GCM-SHA384'],
    ...['ECDHE-ECDSA-CHACHA20-POLY1305', 'ECDHE-RSA-CHACHA20-POLY1305'],
  ].join(':'),
} as const

/** A certificate with its intermediates, and its key, both in PEM. */
export interface Pair {
  readonly certificate: string
  readonly key: string
}

interface CertificateOptions {
  readonly clock: Clock
  readonly log: { readonly info: (facts: object, sentence: string) => void }
  /** Raised while the files hold no usable pair; the last known good pair stays active. */
  readonly alarms: Record<'raise' | 'clear', (part: 'certificate', sentence: string) => void>
  /** Milliseconds between reads of the files. */
  readonly interval?: number
}

const CERTIFICATE = 'BERTH_TLS_CERT'
const KEY = 'BERTH_TLS_KEY'

const orUndefined = <A>(parse: () => A): A | undefined => {
  try {
    return parse()
  } catch {
    return undefined
  }
}

const leafProblem = (leaf: X509Certificate, now: number): string | undefined => {
  const { validFromDate, validToDate } = leaf
  if (now > validToDate.getTime()) return `expired at ${validToDate.toISOString()}`
  return now < validFromDate.getTime() ? `is not valid before ${validFromDate.toISOString()}` : undefined
}

const LOCKED = /-----BEGIN ENCRYPTED PRIVATE KEY-----|^Proc-Type: 4,ENCRYPTED/m

/** Why a pair cannot be used. Messages of OpenSSL are shown only where they cannot contain parts of the key. */
const problemsOf = (files: Pair, { certificate, key }: Pair, now: number): readonly string[] => {
  const isPem = certificate.includes('-----BEGIN ')
  const leaf = isPem ? orUndefined(() => new X509Certificate(certificate)) : undefined
  const privateKey = orUndefined(() => createPrivateKey(key))
  const problems: string[] = []
  const wrong = leaf && leafProblem(leaf, now)
  if (leaf === undefined) problems.push(`${CERTIFICATE}: ${files.certificate} contains no PEM certificate`)
  if (wrong !== undefined) problems.push(`${CERTIFICATE}: the certificate in ${files.certificate} ${wrong}`)
  if (privateKey === undefined) {
    const what = LOCKED.test(key) ? 'an encrypted key; decrypt it first' : 'no PEM private key'
    problems.push(`${KEY}: ${files.key} contains ${what}`)
  }
  if (leaf === undefined || privateKey === undefined) return problems
  if (!leaf.checkPrivateKey(privateKey)) {
    return [...problems, `${KEY}: the key in ${files.key} does not belong to the certificate in ${files.certificate}`]
  }
  try {
    createSecureContext({ cert: certificate, key, ...TLS })
    return problems
  } catch (error) {
    const reason = (error as { readonly reason?: string }).reason ?? 'it is malformed'
    return [...problems, `${CERTIFICATE}: ${files.certificate} cannot be used: ${reason}`]
  }
}

/** Reads the files, or names every problem. */
const readPair = async (files: Pair, clock: Clock): Promise<E.Either<readonly string[], Pair>> => {
  const unreadable: string[] = []
  const read = (variable: string, path: string): Promise<string> =>
    readRegularText(path).catch((error: Error) => {
      unreadable.push(`${variable}: ${path} cannot be read: ${error.message.split(',')[0]}`)
      return ''
    })
  const pair = { certificate: await read(CERTIFICATE, files.certificate), key: await read(KEY, files.key) }
  const problems = unreadable.length > 0 ? unreadable : problemsOf(files, pair, clock())
  return problems.length > 0 ? E.left(problems) : E.right(pair)
}

const validTo = ({ certificate }: Pair): Date => new X509Certificate(certificate).validToDate

/** Reads the files twice a second: unlike notifications, that works for links, network file systems, mounted secrets. */
const followFiles = (first: Pair, files: Pair, { clock, log, alarms, interval = 500 }: CertificateOptions) => {
  let current = first
  /** Consecutive reads without a usable pair. */
  let broken = 0
  const stop = new AbortController()
  const listeners: ((pair: Pair) => void)[] = []

  const look = async (): Promise<void> => {
    const read = await readPair(files, clock)
    if (stop.signal.aborted) return
    if (E.isLeft(read)) {
      // A single bad read may have hit the files while they were being replaced one by one.
      const what = 'the new certificate cannot be used; keeping the current one'
      if (++broken === 2) alarms.raise('certificate', `${what}: ${read.left.join('; ')}`)
      return
    }
    if (broken > 1) alarms.clear('certificate', 'the certificate can be used again')
    broken = 0
    const { certificate, key } = read.right
    if (certificate === current.certificate && key === current.key) return
    current = read.right
    log.info({ valid_to: validTo(current).toISOString() }, 'new certificate in use')
    for (const listener of listeners) listener(current)
  }

  const follow = async (): Promise<void> => {
    for (;;) {
      await delay(interval, undefined, { signal: stop.signal })
      await look()
    }
  }
  follow().catch((error: unknown) => {
    if (!stop.signal.aborted) throw error
  })

  return {
    current: (): Pair => current,
    /** When it expires, in Unix milliseconds. */
    expiry: (): number => validTo(current).getTime(),
    /** Adds a listener for each new active pair. */
    onChange: (listener: (pair: Pair) => void): void => void listeners.push(listener),
    close: (): void => stop.abort(),
  }
}
export type Certificate = ReturnType<typeof followFiles>

/** Reads a certificate and its key, and follows changes of the files. Left: no usable pair at the start. */
export const openCertificate = async (
  files: Pair,
  options: CertificateOptions,
): Promise<E.Either<readonly string[], Certificate>> =>
  E.map((pair: Pair) => followFiles(pair, files, options))(await readPair(files, options.clock))
