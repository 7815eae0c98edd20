import { withoutBody } from '../../codecs/bodies.ts'
import { loginBody, logoutBody, signOnEndBody } from '../../codecs/login.ts'
import { post, type Route } from '../../protocol/route.ts'
import type { LoginHandlers } from './login.ts'
import type { SingleSignOnHandlers } from './single-sign-on.ts'

const everyone = ['administrator', 'tester', 'auditor'] as const

export const loginRoutes = (
  { login, renew, logout }: LoginHandlers,
  { start, finish }: SingleSignOnHandlers,
): readonly Route[] => [
  post({ path: '/api/login', roles: 'anyone', body: loginBody, handle: login }),
  post({ path: '/api/login/oidc/start', roles: 'anyone', ...withoutBody, handle: start }),
  post({ path: '/api/login/oidc/finish', roles: 'anyone', body: signOnEndBody, handle: finish }),
  post({
    path: '/api/login/renew',
    roles: everyone,
    isForPeople: true,
    ...withoutBody,
    handle: renew,
  }),
  post({
    path: '/api/logout',
    roles: everyone,
    isForPeople: true,
    body: logoutBody,
    isBodyOptional: true,
    handle: logout,
  }),
]
