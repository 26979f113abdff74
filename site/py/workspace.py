"""The script of the workspace page."""

from pyscript.js_modules import page

from roundtab.browser.pages.workspace import Workspace

workspace = Workspace(page)
workspace.start()
