import type { ComponentChildren } from 'preact'
import { meOf, usePage } from '../../page/context.ts'
import { CopyButton } from '../../parts/copy.tsx'
import { StateBlock } from '../../parts/state.tsx'

export const NoMachines = ({ children }: { readonly children?: ComponentChildren }) => {
  const { name, scope = '' } = meOf(usePage())
  if (scope !== '') {
    const tags = scope.replaceAll(',', ', ')
    const message = `My scope in Berth at ${location.origin} (${tags}) has no machines. My user name is ${name}.`
    return (
      <StateBlock
        icon="lock"
        title="No machines in your scope"
        text={`You see only machines with ${tags}, and there are none now. An administrator can change your scope or tag machines.`}
      >
        <CopyButton isWide label="Copy a message for an administrator" text={message} />
      </StateBlock>
    )
  }
  const text =
    children === undefined ? 'An administrator can add them.' : 'Add one by hand, or a whole rack from a CSV file.'
  return (
    <StateBlock icon="machine" title="No machines yet" text={text}>
      {children}
    </StateBlock>
  )
}
