import type { ComponentChildren, VNode } from 'preact'

interface Props {
  readonly title: string
  readonly beside?: ComponentChildren
  readonly class?: string
  readonly children: ComponentChildren
}

export const Page = ({ title, beside, class: place = '', children }: Props): VNode => (
  <main class="main">
    <div class={`page ${place}`}>
      <div class="page-head">
        <h1 class="grow">{title}</h1>
        {beside}
      </div>
      {children}
    </div>
  </main>
)

export const Section = ({ title, beside, class: place = '', children }: Props): VNode => (
  <section class={`section ${place}`} aria-label={title}>
    <div class="section-head">
      <h2 class="grow">{title}</h2>
      {beside}
    </div>
    {children}
  </section>
)
