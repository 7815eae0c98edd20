import type { VNode } from 'preact'
import type { Checked } from '../../data/objects.ts'
import { Icon } from '../../parts/icon.tsx'
import { Refused } from '../../service/api.ts'
import { sentenceOf } from '../events/causes.ts'

/** `it answers in 18 ms and takes the password`. */
export const checkedText = ({ reachable, cause, milliseconds }: Checked, takesPassword: boolean): string => {
  if (!reachable) return `it does not answer: ${sentenceOf(cause ?? '')}`
  const answers = `it answers in ${milliseconds} ms`
  if (cause === 'no_password') return `${answers}; Berth has no password to look further`
  return takesPassword ? `${answers} and takes the password` : answers
}

interface Props {
  readonly checked: Checked | Refused
  readonly takesPassword: boolean
  readonly isBusy: boolean
  readonly onAgain: () => void
}

/** What a probe of the machine as it is saved has found. */
export const CheckNote = ({ checked, takesPassword, isBusy, onAgain }: Props): VNode => {
  const isRefused = checked instanceof Refused
  const isOk = !isRefused && checked.reachable
  return (
    <div class={`note middle ${isOk ? 'ok' : 'danger'}`} role="status">
      <Icon name={isOk ? 'check' : 'warning'} />
      <span class="grow">{isRefused ? checked.message : `As saved, ${checkedText(checked, takesPassword)}.`}</span>
      <button type="button" class="btn small" disabled={isBusy} onClick={onAgain}>
        <Icon name="pulse" />
        Check again
      </button>
    </div>
  )
}
