import { noBody } from '../../codecs/bodies.ts'
import { loginBody, logoutBody, signOnEndBody } from '../../codecs/login.ts'
import { post, type Route } from '../../protocol/route.ts'
import type { LoginHandlers } from './login.ts'
import type { SingleSignOnHandlers } from './single-sign-on.ts'

const everyone = ['administrator', 'tester', 'auditor'] as const

export const loginRoutes = (
  { login, renew, logout }: LoginHandlers,
  { start, finish }: SingleSignOnHandlers,
): readonly Route[] => [
  post({ path: '/api/login', may: 'anyone', body: loginBody, handle: login }),
  post({ path: '/api/login/oidc/start', may: 'anyone', body: noBody, isBodyOptional: true, handle: start }),
  post({ path: '/api/login/oidc/finish', may: 'anyone', body: signOnEndBody, handle: finish }),
  post({
    path: '/api/login/renew',
    may: everyone,
    isForPeople: true,
    body: noBody,
    isBodyOptional: true,
    handle: renew,
  }),
  post({
    path: '/api/logout',
    may: everyone,
    isForPeople: true,
    body: logoutBody,
    isBodyOptional: true,
    handle: logout,
  }),
]
