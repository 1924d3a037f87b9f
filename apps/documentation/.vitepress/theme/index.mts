import type { DefaultTheme as Settings, Theme } from 'vitepress';
import DefaultTheme from 'vitepress/theme-without-fonts';
import { defineAsyncComponent, h } from 'vue';
import { SEARCH_OPTIONS } from '../../src/search.js';
import './style.css';

/** In a file of its own, which only the pages of the reference load. */
const ApiReference = defineAsyncComponent(
  async () => (await import('../../src/reference/api-reference.js')).ApiReference,
);

/** The gateway serves the dashboard, so the link must leave the router of the site. */
const dashboard = () => h('a', { class: 'dashboard', href: '/dashboard', target: '_self' }, 'Dashboard');

const logo = () => h('img', { class: 'logo', src: '/dashboard/favicon.svg', alt: '' });

export default {
  extends: DefaultTheme,
  Layout: () => h(DefaultTheme.Layout, null, { 'nav-bar-title-before': logo, 'nav-bar-content-after': dashboard }),
  enhanceApp: ({ app, siteData }) => {
    app.component('ApiReference', ApiReference);
    // Here and not in config.ts: there, functions become text that the Content-Security-Policy does not let run.
    const { search } = siteData.value.themeConfig as Settings.Config;
    if (search?.provider === 'local') search.options = { miniSearch: { searchOptions: SEARCH_OPTIONS } };
  },
} satisfies Theme;
