# SPDX-FileCopyrightText: 2026 The looptree authors
# SPDX-License-Identifier: MIT
"""The stubs tell the truth: the names, and the arguments of functions, of the compiled module."""
import ast
import inspect
import pathlib
import re
import shutil
import subprocess

import pytest

import looptree
from looptree import _core

STUB = ast.parse((pathlib.Path(looptree.__file__).parent / "_core.pyi").read_text())
# Every class has these; the stub names only those that say something.
COMMON = {"__init__", "__repr__", "__str__", "__hash__", "__eq__", "__getstate__", "__setstate__"}
IN_PARTS = not (looptree.has_store and looptree.has_vision)


def functions(body):
    return {node.name: node for node in body if isinstance(node, ast.FunctionDef)}


def arguments(node):
    names = node.args.posonlyargs + node.args.args + node.args.kwonlyargs
    return [each.arg for each in names if each.arg != "self"]


def documented(function):
    """Argument names from the signature that pybind11 writes first in a docstring."""
    line = (function.__doc__ or "").splitlines()[0]
    inside = line[line.index("(") + 1:line.rindex(") ->")]
    if "*args" in inside and "**kwargs" in inside:
        return None
    names = re.findall(r"(?:^|, )(\w+)(?=: )", inside)
    return [name for name in names if name != "self" and not name.startswith("arg")]


def check_arguments(where, node, function):
    names = documented(function)
    if names is None:
        return []
    if "**kwargs" in function.__doc__.splitlines()[0]:
        same = arguments(node)[:len(names)] == names
    else:
        same = set(arguments(node)) == set(names)
    return [] if same else [f"{where}: stub {arguments(node)}, module {names}"]


def defaults_told(node):
    """Argument: default, as the stub has them; a list is a tuple."""
    names = node.args.posonlyargs + node.args.args
    pairs = list(zip(names[len(names) - len(node.args.defaults):], node.args.defaults))
    pairs += [pair for pair in zip(node.args.kwonlyargs, node.args.kw_defaults) if pair[1] is not None]
    return {argument.arg: ast.literal_eval(value) for argument, value in pairs}


def arguments_in(signature):
    """What stands between the parentheses of a signature of pybind11, split at its outer commas."""
    inside, depth, start = signature[signature.index("(") + 1:signature.rindex(") ->")], 0, 0
    for at, letter in enumerate(inside):
        depth += (letter in "[(") - (letter in "])")
        if letter == "," and depth == 0:
            yield inside[start:at]
            start = at + 1
    yield inside[start:]


def defaults_in(signature):
    """The same as defaults_told()."""
    found = {}
    for argument in arguments_in(signature):
        name, equals, text = argument.strip().partition(" = ")
        if equals:
            value = ast.literal_eval(text)
            value = round(value, 6) if isinstance(value, float) else () if value == [] else value
            found[name.split(":")[0]] = value
    return found


def signatures(function):
    lines = (function.__doc__ or "").splitlines()
    overloads = [line for line in lines if re.match(r"\d+\. \w+\(", line)]
    return overloads or lines[:1]


def options_of_a_detector():
    vocabulary = looptree.box_vocabulary("orb")
    options = looptree.LoopDetector(vocabulary).options
    return {**options, "topology": str(options["topology"]), "max_ratio": round(options["max_ratio"], 6)}


def check_defaults(where, node, function):
    told = defaults_told(node)
    known = [defaults_in(line) for line in signatures(function)]
    if where in ("LoopDetector.__init__", "verify"):  # whose keywords pybind11 does not list
        options = options_of_a_detector()
        keywords = {arg.arg for arg in node.args.kwonlyargs}
        if where != "verify" and [arg.arg for arg in node.args.kwonlyargs] != list(options):
            return [f"{where}: keywords {sorted(keywords ^ set(options))} told or left out"]
        known = [{**each, **{name: options[name] for name in keywords}} for each in known]
    return [] if told in known else [f"{where}: stub {told}, module {known}"]


def test_defaults_are_the_real_ones():
    wrong = []
    for node in STUB.body:
        at = getattr(_core, getattr(node, "name", ""), None)
        if isinstance(node, ast.FunctionDef) and at is not None:
            wrong += check_defaults(node.name, node, at)
        elif isinstance(node, ast.ClassDef) and at is not None:
            for method in (each for each in node.body if isinstance(each, ast.FunctionDef)):
                if method.args.defaults or any(method.args.kw_defaults):
                    wrong += check_defaults(f"{node.name}.{method.name}", method, getattr(at, method.name))
    assert wrong == []


def members(type_):
    return {name for name in vars(type_)
            if not name.startswith("_") or (name.startswith("__") and callable(vars(type_)[name]))}


def test_functions():
    stub = functions(STUB.body)
    module = {name: value for name, value in vars(_core).items()
              if inspect.isbuiltin(value) or type(value).__name__ == "builtin_function_or_method"}
    assert set(module) - set(stub) == set()
    assert IN_PARTS or set(stub) - set(module) == set()
    wrong = []
    for name, function in module.items():
        wrong += check_arguments(name, stub[name], function)
    assert wrong == []


def test_classes():
    stub = {node.name: node for node in STUB.body if isinstance(node, ast.ClassDef)}
    module = {name: value for name, value in vars(_core).items()
              if isinstance(value, type) and not name.startswith("_")}
    assert set(module) - set(stub) == set()
    assert IN_PARTS or set(stub) - set(module) == set()
    wrong = []
    for name, type_ in module.items():
        told = functions(stub[name].body)
        public = members(type_) - COMMON
        if set(told) - COMMON != {each for each in public if each != "__module__"}:
            wrong.append(f"{name}: {sorted((set(told) - COMMON) ^ public)}")
        for method, node in told.items():
            value = getattr(type_, method, None)
            if method in COMMON or isinstance(vars(type_).get(method), property):
                continue
            if value is not None and getattr(value, "__doc__", None) and not method.startswith("__"):
                wrong += check_arguments(f"{name}.{method}", node, value)
    assert wrong == []


def test_everything_public_is_documented():
    bare = []
    for name in looptree.__all__:
        value = getattr(looptree, name)
        if (isinstance(value, type) or callable(value)) and not value.__doc__:
            bare.append(name)
        assert isinstance(value, (bool, str)) or getattr(value, "__module__", "looptree") != "looptree._core"
    assert bare == []


def test_the_compiled_module_shows_one_symbol():
    nm = shutil.which("nm")
    if not nm:
        pytest.skip("no nm")
    listed = subprocess.run([nm, "-D", "--defined-only", _core.__file__], check=True,
                            capture_output=True, text=True).stdout
    names = [line.split()[-1] for line in listed.splitlines()]
    assert "PyInit__core" in names
    assert [name for name in names if "looptree" in name or "sqlite" in name or "hwy" in name] == []


def test_names_that_are_not_there():
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        looptree.nothing
    assert "Vocabulary" in looptree.__all__ and looptree.__version__.count(".") == 2
    assert looptree.simd_level() in looptree.simd_levels()
