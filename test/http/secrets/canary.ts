import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Answer } from '../client.ts'

/** A place that must not contain secrets. */
export interface Place {
  readonly name: string
  readonly bytes: Buffer
}

const percentEncoded = (bytes: Buffer): string => bytes.toString('hex').replace(/../g, (digits) => `%${digits}`)

/** With non-ASCII characters escaped, as some JSON encoders do. */
const escaped = (json: string): string =>
  json.replace(/[^\0-\u007f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)

/** The invariant part of some bytes in base64 within a longer text: one string for each offset modulo 3. */
const insideBase64 = (bytes: Buffer): readonly string[] =>
  [0, 1, 2].map((before) => {
    const digits = Buffer.concat([Buffer.alloc(before), bytes]).toString('base64')
    return digits.slice(Math.ceil((before * 8) / 6), Math.floor(((before + bytes.length) * 8) / 6))
  })

/** The encodings in which a secret may leak. */
export const formsOf = (secret: Buffer): Readonly<Record<string, readonly string[]>> => {
  const text = secret.toString()
  const json = JSON.stringify(text).slice(1, -1)
  const base64 = insideBase64(secret)
  return {
    plain: [secret.toString('latin1')],
    'as JSON': [Buffer.from(json).toString('latin1'), escaped(json)],
    'percent-encoded': [encodeURIComponent(text), percentEncoded(secret), percentEncoded(secret).toUpperCase()],
    'in base64': [...base64, ...base64.map((digits) => digits.replaceAll('+', '-').replaceAll('/', '_'))],
    'in hex': [secret.toString('hex'), secret.toString('hex').toUpperCase()],
  }
}

/** Every secret found in one of the places, in any encoding: one sentence each. */
export const leaks = (secrets: Readonly<Record<string, Buffer>>, places: readonly Place[]): readonly string[] => {
  const found: string[] = []
  for (const { name, bytes } of places) {
    const text = bytes.toString('latin1')
    for (const [what, secret] of Object.entries(secrets)) {
      for (const [how, forms] of Object.entries(formsOf(secret))) {
        if (forms.some((form) => text.includes(form))) found.push(`${what} ${how} in ${name}`)
      }
    }
  }
  return found
}

const readAllIn = async (directory: string): Promise<readonly Place[]> => {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true })
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name))
  return Promise.all(files.map(async (name) => ({ name, bytes: await readFile(name) })))
}

/** Every file in a directory tree, as it is now. Reads all again if a service has replaced one meanwhile. */
export const filesIn = (directory: string): Promise<readonly Place[]> =>
  readAllIn(directory).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return filesIn(directory)
    throw error
  })

export const placeOf = ({ status, headers, text }: Answer): Place => ({
  name: `the answer ${status} ${text}`,
  bytes: Buffer.from(JSON.stringify(headers) + text),
})

/** What a program has written, on its outputs and in its directory. */
export const writtenBy = async (
  service: { readonly output: () => string; readonly errors: () => string },
  data: string,
): Promise<readonly Place[]> => [
  { name: 'standard output', bytes: Buffer.from(service.output()) },
  { name: 'standard error', bytes: Buffer.from(service.errors()) },
  ...(await filesIn(data)),
]
