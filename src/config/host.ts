import { isIP } from 'node:net'
import * as E from 'fp-ts/lib/Either.js'

const HOST_NAME = /^(?=.{1,253}$)[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?)*$/i

/** Reads a host name or an IP address. Left says what it must be. */
export const readHost = (value: string): E.Either<string, string> =>
  isIP(value) !== 0 || (HOST_NAME.test(value) && !/(?:^|\.)\d+$/.test(value))
    ? E.right(value)
    : E.left('must be a host name or an IP address, without a port or brackets')
