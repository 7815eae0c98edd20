import { type ClientAuth, ClientSecretBasic, ClientSecretPost, type ServerMetadata } from 'openid-client'

/** How Berth shows a provider its secret (OpenID Connect Core 1.0, section 9). */
const METHODS = { client_secret_post: ClientSecretPost, client_secret_basic: ClientSecretBasic } as const
export type AuthMethod = keyof typeof METHODS

/** The secret is read for each request. */
export const authWith =
  (method: AuthMethod, secret: () => string): ClientAuth =>
  (...request) =>
    METHODS[method](secret())(...request)

/**
 * Methods in the order in which to try them. The body comes first where the provider takes it, because some providers
 * do not percent-decode the header. Metadata without a list mean the header.
 *
 * @param accepted the method with which the provider accepted this client last
 */
export const authMethods = (
  { token_endpoint_auth_methods_supported: listed = ['client_secret_basic'] }: ServerMetadata,
  accepted: AuthMethod | undefined,
): readonly [AuthMethod, AuthMethod] => {
  const first = accepted ?? (listed.includes('client_secret_post') ? 'client_secret_post' : 'client_secret_basic')
  return [first, first === 'client_secret_post' ? 'client_secret_basic' : 'client_secret_post']
}
