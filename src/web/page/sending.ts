import { useState } from 'preact/hooks'
import { type Answer, type AnswerAt, type BodyAt, Refused } from '../service/api.ts'
import { usePage } from './context.ts'

export interface Sending {
  readonly refused: Refused | undefined
  readonly isBusy: boolean
  /** Sends a command; undefined if it was refused. */
  readonly send: <const P extends string>(
    path: P,
    body?: BodyAt<P>,
    ifMatch?: string,
  ) => Promise<Answer<AnswerAt<'post', P>> | undefined>
  readonly forgive: () => void
}

export const useSending = (): Sending => {
  const { api } = usePage()
  const [refused, setRefused] = useState<Refused | undefined>(undefined)
  const [isBusy, setBusy] = useState(false)
  const send: Sending['send'] = async (path, body, ifMatch) => {
    setBusy(true)
    setRefused(undefined)
    try {
      return await api.send(path, { body, ifMatch })
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
