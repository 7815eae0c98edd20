import type { VNode } from 'preact'

/** The name of a person or a machine in a sentence. It keeps its direction to itself. */
export const Name = ({ of }: { readonly of: string | undefined }): VNode => (
  <b class="medium">
    <bdi>{of}</bdi>
  </b>
)
