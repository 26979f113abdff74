"""Python meets the browser: the only folder that imports js, pyscript or pyodide."""
