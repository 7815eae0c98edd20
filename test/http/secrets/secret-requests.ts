/** Secrets to search for, and requests that contain them. */

import { randomBytes } from 'node:crypto'
import { type Answer, basic, type Client, type Headers } from '../client.ts'
import { aSut } from '../requests.ts'

/** A secret that looks different in every encoding and that nothing else contains. */
export const canary = (): string => `ká"n/a+ry?-${randomBytes(12).toString('hex')}`

export const makeSecrets = () => ({
  password: canary(),
  otherPassword: canary(),
  userName: canary(),
  adminPassword: canary(),
  testersPassword: canary(),
  wrongPassword: canary(),
  // Only characters allowed in a header.
  retryKey: `retry"\\key+/${randomBytes(12).toString('hex')}`,
  vaultKey: randomBytes(32).toString('base64'),
})
export type Secrets = ReturnType<typeof makeSecrets>

/** The secrets, and their encoded forms in requests. */
export const soughtFor = (secrets: Secrets): Readonly<Record<string, Buffer>> => ({
  ...Object.fromEntries(Object.entries(secrets).map(([name, secret]) => [name, Buffer.from(secret)])),
  'bytes of the vault key': Buffer.from(secrets.vaultKey, 'base64'),
  'Authorization of the administrator': Buffer.from(basic('admin', secrets.adminPassword).slice('Basic '.length)),
  'Authorization of a tester': Buffer.from(basic('alice', secrets.testersPassword).slice('Basic '.length)),
  'Authorization with a wrong password': Buffer.from(basic('admin', secrets.wrongPassword).slice('Basic '.length)),
})

const JSON_TYPE: Headers = { 'Content-Type': 'application/json' }

/** Valid and invalid requests with secrets in every possible place. */
export const requestsWith = (
  secrets: Secrets,
  admin: Client,
  anyone: Client,
  sut: string,
): readonly Promise<Answer>[] => {
  const { password, otherPassword, userName, wrongPassword, retryKey } = secrets
  const update = (body: unknown, headers: Headers = {}) => admin.post(`/api/sut/${sut}/update`, body, headers)
  const text = (body: string, headers: Headers = JSON_TYPE) => admin.request('POST', '/api/sut/create', headers, body)
  const credentials = { password, user_name: userName }
  const json = JSON.stringify(aSut(credentials))
  const retried = { 'Idempotency-Key': retryKey }
  return [
    update({ ...credentials, name: 'other' }, retried),
    update({ ...credentials, name: 'yet another' }, retried),
    update({ password: otherPassword }),
    update({ password: `${password}\u0000`, user_name: { userName } }),
    update({ user_name: [userName], port: password, color: otherPassword }),
    update(password),
    update(credentials, { 'Idempotency-Key': `${retryKey} ${retryKey}` }),
    admin.post('/api/sut/58c38f5d444553252cce0000/update', credentials, retried),
    text(json.slice(0, -1)),
    text(`${json}x`),
    text(json.replace(':', ' ')),
    text(`{"password":${password}}`),
    text(json.padEnd(300_000)),
    text(json, { 'Content-Type': 'text/plain' }),
    text(json, { ...JSON_TYPE, 'Content-Encoding': 'gzip' }),
    anyone.post('/api/sut/create', aSut(credentials), { Authorization: basic('admin', wrongPassword) }),
    anyone.get('/api/user/me', { Authorization: basic(`nobody`, wrongPassword) }),
    anyone.get('/api/user/me', { Authorization: basic('admin', wrongPassword).replace('Basic', 'Bearer') }),
    anyone.get('/api/user/me', { Authorization: `${basic('admin', wrongPassword)}!` }),
  ]
}

/** Requests with credentials that Node itself refuses. */
export const refusedByNode = (secrets: Secrets): readonly string[] => {
  const head = `POST /api/sut/create HTTP/1.1\r\nHost: a\r\nAuthorization: ${basic('admin', secrets.adminPassword)}\r\n`
  return [
    `${head}Idempotency-Key: ${secrets.retryKey}\r\nno header\r\n\r\n`,
    `${head}X: ${'a'.repeat(40_000)}\r\n\r\n`,
    `${head}Transfer-Encoding: chunked\r\n\r\n${secrets.retryKey}\r\n`,
  ]
}
