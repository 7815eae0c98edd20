import { resolve } from 'node:path'
import * as E from 'fp-ts/lib/Either.js'
import { parseRoleMapping, type RoleMapping } from '../../domain/user/role-mapping.ts'
import type { ReadValue, ReadVariable } from './read.ts'

/** Single sign-on with an OpenID Connect provider. */
export interface OidcConfig {
  readonly issuer: string
  readonly clientId: string
  readonly clientSecretFile: string
  /** The claim whose values bring roles. */
  readonly claim: string
  readonly roles: RoleMapping
  /** Where the provider sends people back to. */
  readonly redirectUri: string
}

/** None of these works alone. */
const TOGETHER = [
  'BERTH_OIDC_ISSUER',
  'BERTH_OIDC_CLIENT_ID',
  'BERTH_OIDC_CLIENT_SECRET_FILE',
  'BERTH_OIDC_ROLES',
  'BERTH_PUBLIC_URL',
] as const

const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/

const isPlain = ({ username, password, search, hash }: URL): boolean => `${username}${password}${search}${hash}` === ''

const issuer: ReadValue<string> = (value) => {
  const url = URL.parse(value)
  const isSafe = url?.protocol === 'https:' || (url?.protocol === 'http:' && LOOPBACK.test(url.hostname))
  return url !== null && isSafe && isPlain(url)
    ? E.right(value)
    : E.left('must be like https://login.lab.example, without a query; http only on a loopback address')
}

const publicOrigin: ReadValue<string> = (value) => {
  const url = URL.parse(value)
  const isWeb = url?.protocol === 'https:' || url?.protocol === 'http:'
  return url !== null && isWeb && isPlain(url) && url.pathname === '/'
    ? E.right(url.origin)
    : E.left('must be like https://berth.lab.example, without a path')
}

const name: ReadValue<string> = (value) =>
  /^[^\p{Cc}\p{Cs}]{1,256}$/u.test(value)
    ? E.right(value)
    : E.left('must have 1 to 256 characters, without control characters')

/** Reads the variables of single sign-on; undefined unless it is configured. */
export const readOidc = (read: ReadVariable, directory: string): OidcConfig | undefined => {
  const [from, id] = [read(TOGETHER[0], issuer, undefined), read(TOGETHER[1], name, undefined)]
  const clientSecretFile = read(TOGETHER[2], (value) => E.right(resolve(directory, value)), undefined)
  const roles = read(TOGETHER[3], parseRoleMapping, undefined)
  const origin = read(TOGETHER[4], publicOrigin, undefined)
  const claim = read('BERTH_OIDC_CLAIM', name, 'groups')
  if (from === undefined || id === undefined || clientSecretFile === undefined) return undefined
  if (roles === undefined || origin === undefined) return undefined
  return { issuer: from, clientId: id, clientSecretFile, claim, roles, redirectUri: `${origin}/login/callback` }
}

/** What is missing if some of the variables are set and others are not. */
export const oidcProblems = (environment: Readonly<Record<string, string | undefined>>): readonly string[] => {
  const isSet = (variable: string): boolean => environment[variable] !== undefined
  const missing = TOGETHER.filter((variable) => !isSet(variable))
  const isMeant = missing.length < TOGETHER.length || isSet('BERTH_OIDC_CLAIM')
  if (!isMeant || missing.length === 0) return []
  return [
    `${TOGETHER.join(', ')} must be set together: ${missing.join(', ')} ${missing.length > 1 ? 'are' : 'is'} missing`,
  ]
}
