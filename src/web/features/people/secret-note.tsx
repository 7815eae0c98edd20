import type { VNode } from 'preact'
import { CopyButton } from '../../parts/copy.tsx'
import { Icon } from '../../parts/icon.tsx'

interface Props {
  /** What it is: a token's name, or `Anna's password`. */
  readonly name: string
  /** Undefined if the answer with it was lost on its way. */
  readonly secret: string | undefined
  /** What helps then. */
  readonly ifLost: string
  readonly onCopied?: () => void
}

/** What is asked before a dialog closes with a secret that nobody has copied. */
export const UNKEPT = 'It is shown only once. Close without a copy?'

/** A password or a token that Berth shows once. */
export const SecretNote = ({ name, secret, ifLost, onCopied }: Props): VNode =>
  secret === undefined ? (
    <div class="note warn middle" role="alert">
      <Icon name="warning" />
      <span class="grow">
        The answer with{' '}
        <b class="medium">
          <bdi>{name}</bdi>
        </b>{' '}
        was lost on its way. {ifLost}
      </span>
    </div>
  ) : (
    <div class="note ok middle" role="status">
      <Icon name="key" />
      <div class="grow">
        <div class="small">
          Copy{' '}
          <b class="medium">
            <bdi>{name}</bdi>
          </b>{' '}
          now. It is shown only once.
        </div>
        <div class="mono secret">{secret}</div>
      </div>
      <CopyButton text={secret} isWide onCopied={onCopied} />
    </div>
  )
