import { defineComponent, h, ref } from 'vue';

/** A collapsed part of the page, which is rendered when it is first opened: a reference has hundreds of them, with thousands of fields. */
export const Collapsed = defineComponent({
  setup(_, { slots }) {
    const wasOpened = ref(false);
    const onToggle = ({ currentTarget }: Event) => {
      wasOpened.value ||= (currentTarget as HTMLDetailsElement).open;
    };
    return () =>
      h('details', { onToggle }, [h('summary', slots['summary']?.()), wasOpened.value ? slots['default']?.() : []]);
  },
});
