import { openLab } from '../../data/lab.ts'
import type { News } from '../../data/news.ts'
import { type AsOf, pathAsOf } from '../../page/as-of.ts'
import type { PageContext } from '../../page/context.ts'
import { makeStore, type Store } from '../../parts/store.ts'
import { type Api, Refused } from '../../service/api.ts'
import type { Session } from '../../service/session.ts'

/** The past is shown as to an auditor, who changes nothing. */
const asAuditor = (session: Store<Session>): Store<Session> => {
  let [of, seen] = [session.get(), session.get()]
  const asPast = (now: Session): Session => {
    if (now !== of || seen === of) [of, seen] = [now, { ...now, me: now.me && { ...now.me, role: 'auditor' } }]
    return seen
  }
  return {
    ...session,
    get: () => asPast(session.get()),
    watch: (listener) => session.watch((now) => listener(asPast(now))),
  }
}

const refuse = () => Promise.reject(new Refused(409, { code: 'past', detail: 'The past cannot be changed.' }))

const readOnly = (api: Api, asOf: AsOf): Api => ({
  ...api,
  get: (path, sent) => api.get(pathAsOf(path, asOf), sent),
  ...{ post: refuse, send: refuse },
})

/** What screens use that show the lab as it was: the same, but of that moment, and unable to change anything. */
export const pastPage = (page: PageContext, asOf: AsOf): PageContext => {
  const api = readOnly(page.api, asOf)
  return {
    ...page,
    api,
    control: { ...page.control, api, session: asAuditor(page.control.session) },
    lab: openLab(),
    clock: makeStore(asOf.time),
    news: makeStore<News | undefined>(undefined),
  }
}
