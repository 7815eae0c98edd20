import type { ReadonlySignal } from '@preact/signals'
import type { Api } from './api.ts'

type Phases = ReadonlySignal<{ readonly phase: string }>

const untilSignedIn = (session: Phases): Promise<void> =>
  new Promise((resolve) => {
    const end = session.subscribe(({ phase }) => {
      if (phase === 'ended') return
      end()
      resolve()
    })
  })

/**
 * What is read waits once the session has ended: it would only be refused, again and again, for as long as nobody signs
 * in. `isKept` tells whether there is a credential, such as one of another tab. No browser is needed here.
 */
export const readWhenSignedIn = (api: Api, session: Phases, isKept: () => boolean): Api => ({
  ...api,
  get: async (path, sent) => {
    if (session.peek().phase === 'ended' && !isKept()) await untilSignedIn(session)
    return api.get(path, sent)
  },
})
