import { noBody } from '../../codecs/bodies.ts'
import { loginBody, logoutBody } from '../../codecs/login.ts'
import { post, type Route } from '../../protocol/route.ts'
import type { LoginHandlers } from './login.ts'

const everyone = ['administrator', 'tester', 'auditor'] as const

export const loginRoutes = ({ login, renew, logout }: LoginHandlers): readonly Route[] => [
  post({ path: '/api/login', may: 'anyone', body: loginBody, handle: login }),
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
