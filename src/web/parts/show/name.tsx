/** The name of a person or a machine in a sentence. It keeps its direction to itself. */
export const Name = ({ of }: { readonly of: string | undefined }) => (
  <b class="medium">
    <bdi>{of}</bdi>
  </b>
)
