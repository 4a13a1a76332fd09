seam plugin new shop --around BasketController.swift
cd shop
