import { useRef, useState } from 'preact/hooks'
import { type Answer, newKey, postSafely, Refused } from '../service/api.ts'
import { usePage } from './context.ts'

export interface Sending {
  /** Why the last request was refused. */
  readonly refused: Refused | undefined
  readonly isBusy: boolean
  /** Sends a command; undefined if it was refused. */
  readonly send: <A>(path: string, body?: object, ifMatch?: string) => Promise<Answer<A> | undefined>
  readonly forgive: () => void
}

/** Commands of a form, one after the other. One that was not done and is sent again has the same key. */
export const useSending = (): Sending => {
  const { api } = usePage()
  const [refused, setRefused] = useState<Refused | undefined>(undefined)
  const [isBusy, setBusy] = useState(false)
  const last = useRef({ request: '', key: '' })
  const send = async <A>(path: string, body?: object, ifMatch?: string): Promise<Answer<A> | undefined> => {
    const request = JSON.stringify([path, body, ifMatch])
    if (last.current.request !== request) last.current = { request, key: newKey() }
    setBusy(true)
    setRefused(undefined)
    try {
      const answer = await postSafely<A>(api, path, { body, ifMatch, key: last.current.key })
      last.current = { request: '', key: '' }
      return answer
    } catch (error) {
      if (!(error instanceof Refused)) throw error
      setRefused(error)
      return undefined
    } finally {
      setBusy(false)
    }
  }
  return { refused, isBusy, send, forgive: () => setRefused(undefined) }
}
