import type { ComponentChildren, VNode } from 'preact'
import { Button } from './button.tsx'
import { Icon, type IconName } from './icon.tsx'
import { texts } from './texts.ts'

interface Props {
  readonly icon: IconName
  readonly title: string
  readonly text?: string | undefined
  readonly children?: ComponentChildren
  /** The id of the request that failed. */
  readonly request?: string | undefined
}

/** What a screen shows in place of its content: empty, failed, forbidden. */
export const StateBlock = ({ icon, title, text, children, request }: Props): VNode => (
  <div class="void">
    <Icon name={icon} />
    <h2>{title}</h2>
    {text !== undefined && <p>{text}</p>}
    {children}
    {request !== undefined && (
      <p class="muted small">
        Request <span class="mono">{request}</span>
      </p>
    )}
  </div>
)

/** What is shown of a request that was refused. */
export interface Failure {
  readonly message: string
  readonly problem: {
    readonly code: string
    readonly instance?: string
    readonly errors?: readonly { readonly pointer?: string; readonly detail: string }[]
  }
}

/** What a screen shows when it could not be read, and what one can do. `seconds` is when it is tried again. */
export const FailedBlock = ({
  title,
  failed,
  seconds,
  onRetry,
}: {
  readonly title: string
  readonly failed: Failure
  readonly seconds: number
  readonly onRetry: () => void
}): VNode => (
  <StateBlock
    icon="warning"
    title={title}
    text={`${failed.message} It is tried again in ${seconds} s.`}
    request={failed.problem.instance}
  >
    <div class="row">
      <Button icon="refresh" label={texts.tryAgain} onClick={onRetry} />
    </div>
  </StateBlock>
)
