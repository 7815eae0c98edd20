import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto'
import { createSecureContext } from 'node:tls'
import * as E from 'fp-ts/lib/Either.js'
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

/** The active pair. */
export interface Certificate {
  readonly current: () => Pair
  /** When the active pair expires, in Unix milliseconds. */
  readonly expiry: () => number
  /** Adds a listener for each new active pair. */
  readonly onChange: (listener: (pair: Pair) => void) => void
  readonly close: () => void
}

interface CertificateOptions {
  /** Unix milliseconds. */
  readonly clock: () => number
  readonly log: { readonly info: (facts: object, sentence: string) => void }
  /** Raised while the files hold no usable pair; the last known good pair stays active. */
  readonly alarms: Record<'raise' | 'clear', (part: 'certificate', sentence: string) => void>
  /** Milliseconds between reads of the files. */
  readonly interval?: number
}

const CERTIFICATE = 'BERTH_TLS_CERT'
const KEY = 'BERTH_TLS_KEY'

const parsed = <A>(parse: () => A): A | undefined => {
  try {
    return parse()
  } catch {
    return undefined
  }
}

const leafProblem = (path: string, leaf: X509Certificate | undefined, now: number): string | undefined => {
  if (leaf === undefined) return `${path} contains no PEM certificate`
  const { validFromDate, validToDate } = leaf
  if (now > validToDate.getTime()) return `the certificate in ${path} expired at ${validToDate.toISOString()}`
  if (now >= validFromDate.getTime()) return undefined
  return `the certificate in ${path} is not valid before ${validFromDate.toISOString()}`
}

const keyProblem = (path: string, text: string): string => {
  const isLocked = /-----BEGIN ENCRYPTED PRIVATE KEY-----|^Proc-Type: 4,ENCRYPTED/m.test(text)
  return `${path} ${isLocked ? 'contains an encrypted key; decrypt it first' : 'contains no PEM private key'}`
}

/** Why a pair cannot be used. Messages of OpenSSL are shown only where they cannot contain parts of the key. */
const problemsOf = (files: Pair, { certificate, key }: Pair, now: number): readonly string[] => {
  const isPem = certificate.includes('-----BEGIN ')
  const leaf = isPem ? parsed<X509Certificate>(() => new X509Certificate(certificate)) : undefined
  const privateKey = parsed<KeyObject>(() => createPrivateKey(key))
  const wrongLeaf = leafProblem(files.certificate, leaf, now)
  const problems = [
    ...(wrongLeaf === undefined ? [] : [`${CERTIFICATE}: ${wrongLeaf}`]),
    ...(privateKey === undefined ? [`${KEY}: ${keyProblem(files.key, key)}`] : []),
  ]
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
const readPair = async (files: Pair, clock: () => number): Promise<E.Either<readonly string[], Pair>> => {
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

/**
 * Reads a certificate and its key and follows changes of the files. It reads them twice a second, which unlike file
 * notifications works through symbolic links, on network file systems and for mounted secrets. `files` are paths. Left:
 * no usable pair at the start.
 */
export const openCertificate = async (
  files: Pair,
  { clock, log, alarms, interval = 500 }: CertificateOptions,
): Promise<E.Either<readonly string[], Certificate>> => {
  const first = await readPair(files, clock)
  if (E.isLeft(first)) return first
  let current = first.right
  /** Consecutive reads without a usable pair. */
  let broken = 0
  let isClosed = false
  const listeners: ((pair: Pair) => void)[] = []

  const poll = async (): Promise<void> => {
    const read = await readPair(files, clock)
    if (isClosed) return
    if (E.isLeft(read)) {
      // A single bad read may have hit the files while they were being replaced one by one.
      if (++broken === 2) {
        alarms.raise(
          'certificate',
          `the new certificate cannot be used; keeping the current one: ${read.left.join('; ')}`,
        )
      }
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

  const again = (): NodeJS.Timeout =>
    setTimeout(async () => {
      await poll()
      if (!isClosed) timer = again()
    }, interval)
  let timer = again()

  return E.right({
    current: () => current,
    expiry: () => validTo(current).getTime(),
    onChange: (listener) => listeners.push(listener),
    close: () => {
      isClosed = true
      clearTimeout(timer)
    },
  })
}
